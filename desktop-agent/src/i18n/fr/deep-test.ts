import type { deepTest as english } from '../en/deep-test.ts';
import type { Translation } from '../message.ts';

export const deepTest: Translation<typeof english> = {
  'deep.button': 'Tester en profondeur',
  'deep.cost': 'Envoie et reçoit jusqu’à {size} et prend jusqu’à {duration}. Les résultats restent ici.',
  'deep.title': 'Test approfondi',
  'deep.busy': 'Test approfondi, encore {duration}',
  'deep.running': 'La ligne vers votre serveur est saturée pendant quelques secondes ; les appels peuvent être hachés.',
  'deep.part.line': 'Ligne en charge',
  'deep.part.mtu': 'Taille des paquets',
  'deep.part.pings': 'Routeur',
  'deep.part.path': 'Chemin',
  'deep.done': 'Testé à {time}.',
  'deep.failed': 'Le test approfondi de {time} s’est arrêté avant la fin. Résultats obtenus :',
  'deep.line.queue':
    'Une file d’attente se forme sur votre ligne : les réponses prennent {idle} quand elle est libre et {loaded} quand elle est chargée. Les appels sont hachés dès que quelqu’un envoie ou télécharge beaucoup.',
  'deep.line.some': 'Les réponses prennent {idle} quand la ligne est libre et {loaded} quand elle est chargée.',
  'deep.line.steady': 'La ligne reste rapide en charge : {idle} à vide, {loaded} en charge.',
  'deep.line.brief': 'La charge a été trop brève pour qu’une file d’attente apparaisse.',
  'deep.line.speed': 'Débit observé : {down} en réception et {up} en envoi.',
  'deep.line.not_enrolled': 'La ligne n’a pas été chargée : cet appareil n’appartient encore à aucune organisation.',
  'deep.line.not_offered': 'La ligne n’a pas été chargée : votre serveur ne propose pas encore ce test.',
  'deep.line.too_often':
    'La ligne n’a pas été chargée : votre serveur n’autorise plus de test pour l’instant. Réessayez dans une heure.',
  'deep.line.failed': 'La connexion à votre serveur a été coupée pendant la charge.',
  'deep.mtu.whole': 'Les paquets de taille maximale atteignent {host}.',
  'deep.mtu.smaller':
    'Les paquets jusqu’à {bytes} octets atteignent {host}. Pour les plus grands, une erreur revient et les programmes s’adaptent.',
  'deep.mtu.hole':
    'Les paquets de plus de {bytes} octets disparaissent en route vers {host} sans qu’aucune erreur ne revienne : les connexions s’ouvrent, puis se bloquent.',
  'deep.mtu.unknown': '{host} ne répond pas à ces paquets ; on ne sait donc rien de leur taille.',
  'deep.mtu.none': 'Aucun service que cet appareil joint directement n’est choisi.',
  'deep.pings.all': 'Le routeur a répondu aux {sent} pings, en {median} le plus souvent et en {worst} au pire.',
  'deep.pings.some': 'Le routeur a répondu à {received} pings sur {sent}, en {median} le plus souvent.',
  'deep.pings.silent': 'Le routeur n’a répondu à aucun des {sent} pings. Certains ne répondent jamais.',
  'deep.pings.unmeasured': 'Non mesuré : {why}.',
  'deep.path.clear': '{target} est à {hops} sauts et répond en {rtt}. Rien ne se perd en route.',
  'deep.path.loss': 'À partir du saut {hop} sur {hops}, {percent} des paquets se perdent en route vers {target}.',
  'deep.path.delay': '{delay} sur {rtt} s’ajoutent au saut {hop} sur {hops}.',
  'deep.path.silent': '{target} ne répond pas ; le dernier saut qui répond est le numéro {hops}.',
  'deep.path.inside': 'C’est avant le réseau de votre fournisseur.',
  'deep.path.edge': 'C’est à l’entrée du réseau de votre fournisseur.',
  'deep.path.beyond': 'C’est au-delà de l’entrée du réseau de votre fournisseur.',
  'deep.path.none': 'Aucune cible n’est choisie.',
};
