import type { Translation } from '../message.ts';
import type { VerdictMessages } from './en.ts';

export const verdictMessages: Translation<VerdictMessages> = {
  'fault.wifi_signal': 'Le signal est proche de {value}{since}, trop faible pour une connexion rapide.',
  'fault.wifi_noise': 'Le signal ne dépasse le bruit que de {value}{since}.',
  'fault.wifi_airtime.busy': 'Le canal est occupé {value} du temps{since}.',
  'fault.wifi_airtime.retries': 'Sur un canal encombré, {value} des trames doivent être renvoyées{since}.',
  'fault.gateway_unreachable': 'La box ou le routeur ne répond pas{since}.',
  'fault.gateway_loss': 'Le routeur a perdu {lost} paquets de test sur {sent} ({value}){since}.',
  'fault.gateway_delay': 'Le routeur met {value} à répondre{since}.',
  'fault.isp_loss': 'Son premier routeur et les suivants ont perdu {lost} paquets de test sur {sent} ({value}){since}.',
  'fault.isp_delay': 'Son premier routeur met {value} à répondre{since}.',
  'fault.queueing':
    'Les réponses mettent {value}{since}, contre {usual} quand la ligne est libre : elle est saturée et tout attend.',
  'fault.dns_slow': 'La recherche du nom {target} prend {value}{since} ; le reste est rapide.',
  'fault.dns_failing': 'Le nom {target} est introuvable{since} ({code}).',
  'fault.dns_lying': 'Le serveur DNS donne de fausses réponses{since}, y compris pour {target}.',
  'fault.captive_portal': 'Ce réseau demande une connexion par une page web{since} et bloque tout jusque-là.',
  'fault.certificate.expired': 'Le certificat de {target} a expiré.',
  'fault.certificate.not_yet_valid': 'D’après l’horloge de cet appareil, le certificat de {target} n’est pas encore valide.',
  'fault.certificate.authority': 'Cet appareil ne connaît pas l’émetteur du certificat de {target}.',
  'fault.certificate.name': 'Le certificat présenté par {target} est établi pour un autre nom.',
  'fault.certificate.other': 'Le certificat de {target} est refusé{since} ({code}).',
  'fault.proxy': 'Le proxy ne laisse rien passer vers {target}{since} ({code}).',
  'fault.service_error': '{target} répond par une erreur{since} ({code}).',
  'fault.service_unreachable': '{target} n’accepte aucune connexion{since} ({code}).',
  'fault.service_slow': '{target} met {value} à répondre{since}.',
  'fault.path_loss':
    'À partir du saut {hop} sur {hops}, au-delà du réseau du fournisseur, {value} des paquets se perdent{since}.',
  'fault.path_delay': 'À partir du saut {hop} sur {hops}, au-delà du réseau du fournisseur, les réponses mettent {value}{since}.',
  'fault.lan_loss':
    'À partir du saut {hop} sur {hops}, encore dans le réseau privé derrière la passerelle, {value} se perd{since}.',
  'fault.lan_delay':
    'À partir du saut {hop} sur {hops}, encore dans le réseau privé derrière la passerelle, les réponses mettent {value}{since}.',
  'fault.distance': '{target} est loin : chaque réponse met {value}, comme les autres jours, et rien ne se perd.',
  'fault.ipv6_broken': 'IPv6 ne fonctionne pas ici{since} : chaque connexion attend {value} avant de passer par IPv4.',
  'fault.mtu': 'Les gros paquets n’arrivent pas à {target}{since}, les petits si.',
  'fault.vpn': '{target} est lent ou injoignable dans le VPN{since}.',
  'lead.queueing': 'La ligne est saturée',
  'lead.captive_portal': 'Connexion au réseau requise',
  'lead.certificate': 'Certificat refusé',
  'lead.dns_slow': 'Résolution DNS lente',
  'lead.dns_failing': 'Nom introuvable',
  'lead.dns_lying': 'Réponses DNS erronées',
  'lead.proxy': 'Bloqué au niveau du proxy',
  'lead.service_error': 'Un service renvoie une erreur',
  'lead.service_unreachable': 'Un service est injoignable',
  'lead.ipv6_broken': 'IPv6 ne fonctionne pas ici',
  'lead.vpn': 'Lent dans le VPN',
  'try.wifi_signal':
    'Rapprochez-vous de quelques mètres du point d’accès, ou branchez un câble réseau : les murs et la distance affaiblissent le signal.',
  'try.wifi_noise':
    'Choisissez le réseau 5 GHz s’il existe, ou branchez un câble réseau : d’autres appareils sans fil proches brouillent le signal.',
  'try.wifi_airtime':
    'Choisissez le réseau 5 GHz ou 6 GHz s’il existe, ou branchez un câble réseau. Le responsable du point d’accès peut choisir un canal plus calme.',
  'try.gateway_unreachable':
    'À la maison, éteignez puis rallumez la box. Au bureau, prévenez l’assistance : rien n’est joignable au-delà du routeur.',
  'try.gateway_loss': 'Branchez un câble réseau, ou changez-en : des données se perdent entre l’appareil et le routeur.',
  'try.gateway_delay':
    'Redémarrez la box, ou branchez un câble réseau : le routeur répond tard alors que rien n’est lent avant lui.',
  'try.isp_loss':
    'Envoyez le chemin au fournisseur : des données se perdent dès son premier routeur. Changer de place ou redémarrer n’y fera rien.',
  'try.isp_delay':
    'Envoyez le chemin au fournisseur : le retard commence à son premier routeur. Changer de place ou redémarrer n’y fera rien.',
  'try.queueing':
    'Suspendez les gros envois, les sauvegardes et les mises à jour sur cette ligne, puis testez à nouveau : une ligne saturée fait tout attendre.',
  'try.dns_slow':
    'À la maison, redémarrez la box. Au bureau, demandez à l’informatique de vérifier le serveur DNS : une fois le nom trouvé, tout est rapide.',
  'try.dns_failing':
    'À la maison, redémarrez la box. Au bureau, signalez à l’assistance que le serveur DNS est en panne : sans lui, aucun service n’est trouvé.',
  'try.dns_lying':
    'Ne saisissez aucun mot de passe tant que ce n’est pas éclairci. Dites à l’informatique de quel réseau il s’agit : quelque chose y modifie les réponses.',
  'try.captive_portal': 'Ouvrez un navigateur et connectez-vous à ce réseau.',
  'try.certificate.expired': 'Ne contournez pas l’avertissement. Le responsable de {target} doit renouveler son certificat.',
  'try.certificate.not_yet_valid':
    'Vérifiez la date et l’heure de l’appareil : d’après son horloge, le certificat n’est pas encore valide.',
  'try.certificate.authority':
    'Ne contournez pas l’avertissement. Demandez à l’informatique si le certificat de son inspection TLS doit être installé sur l’appareil.',
  'try.certificate.name': 'Ne contournez pas l’avertissement. Le responsable de {target} doit installer le bon certificat.',
  'try.certificate.other': 'Ne contournez pas l’avertissement. Donnez le code au responsable de {target}.',
  'try.proxy': 'Demandez à l’informatique de vérifier le proxy et ce qu’il autorise : le chemin jusqu’au proxy va bien.',
  'try.service_error':
    'Prévenez le responsable de {target} : le service est joignable et répond par une erreur. Le réseau n’y est pour rien.',
  'try.service_unreachable': 'Prévenez le responsable de {target} : ce service n’accepte aucune connexion.',
  'try.service_slow':
    'Prévenez le responsable de {target} : d’après les mesures, le chemin est libre et c’est le service lui-même qui est lent.',
  'try.path_loss':
    'Envoyez le chemin au fournisseur : la perte commence au-delà de son réseau, et lui seul peut la faire réparer.',
  'try.path_delay':
    'Envoyez le chemin au fournisseur : le retard commence au-delà de son réseau, et lui seul peut le faire corriger.',
  'try.lan_loss':
    'Au travail, transmettez le chemin à l’informatique : la perte commence dans le réseau de l’entreprise, pas chez le fournisseur. À la maison, redémarrez le routeur placé derrière le vôtre.',
  'try.lan_delay':
    'Au travail, transmettez le chemin à l’informatique : le retard commence dans le réseau de l’entreprise, pas chez le fournisseur. À la maison, redémarrez le routeur placé derrière le vôtre.',
  'try.distance': 'Il n’y a rien à réparer : la distance prend ce temps. Un site du service plus proche serait plus rapide.',
  'try.ipv6_broken':
    'Demandez à l’informatique ou, à la maison, au fournisseur de réparer IPv6 ou de le désactiver : tout passe par IPv4, mais plus tard.',
  'try.mtu':
    'Demandez à l’informatique de réduire la taille des paquets (MTU) du VPN ou du routeur : les gros paquets se perdent en route sans message d’erreur.',
  'try.vpn':
    'Testez à nouveau hors du VPN si vous en avez le droit, et dites à l’informatique de quelle passerelle VPN il s’agit.',
  'actor.person': 'À faire par la personne qui utilise l’appareil.',
  'actor.it': 'C’est du ressort de l’informatique.',
  'actor.provider': 'C’est du ressort du fournisseur.',
  'actor.service': 'C’est du ressort du responsable du service.',
  'actor.nobody': 'Il n’y a qu’à attendre.',
  also: 'Par ailleurs : {fault}',
  'notice.title': 'Rien de ce que vous utilisez n’est lent',
  'measuring.title': 'Mesure en cours',
  'measuring.detail': 'Rien de lent jusqu’ici : {n} couches sur {of} sont déjà mesurées.',
  'measuring.unseen': 'Le chemin jusque-là est encore en cours de mesure.',
  'partial.title': 'Rien de lent dans ce qui est mesuré',
  'partial.detail': {
    one: 'Rien n’est lent dans la seule couche mesurée ici, sur {of}.',
    other: 'Rien n’est lent dans les {n} couches mesurées ici, sur {of}.',
  },
  flips: {
    one: 'Cela a changé une fois dans la dernière heure.',
    other: 'Cela va et vient : {n} changements dans la dernière heure.',
  },
};
