export const NO_TIME_OF_DAY =
  'A test runs at a fixed interval, day and night: it has no time of day. Silence is what maintenance is for.';

/** What a request may ask for and no test does: words of all five languages, and what is said then. */
export const IMPOSSIBLE: readonly (readonly [why: string, words: string])[] = [
  [
    'Nothing is restarted, changed or switched by a test: it measures, and people act.',
    'restart*|reboot*|reset|kill|shut down|shutdown|fix|repair|make faster|neu starten|neustart*|starte den|starte die|hochfahren|redémarr*|relance|répare|reinici*|rearranca*|repara|herstart*|opnieuw opstarten|repareer|deploy*|turn off|switch off|ausschalten|apaga|éteins|scale up|roll back',
  ],
  [
    'Tests are deleted, paused and changed on their own pages, not by a request.',
    'delete*|remove*|disable|pause|unwatch|stop watching|stop monitoring|stop checking|lösch*|entfern*|deaktivier*|schalte|supprim*|efface*|désactiv*|borra*|elimin*|desactiv*|verwijder*|schakel|uitschakelen',
  ],
  [
    'What goes on inside of a machine is no test: send its metrics by OpenTelemetry.',
    'cpu|processor load|ram|memory usage|memory|disk|disk usage|disk space|filesystem|swap|load average|temperature|cpu auslastung|auslastung|arbeitsspeicher|speicher|festplatte|plattenplatz|mémoire|processeur|disque|espace disque|memoria|procesador|disco|geheugen|schijf|schijfruimte|processorbelasting',
  ],
  [
    'A test asks one port that is named: ports and networks are not scanned.',
    'scan*|port scan|portscan|all ports|nmap|every port|all hosts|every host|alle ports|scanne|tous les ports|todos los puertos|escanea*|alle poorten',
  ],
  [
    'A test asks at a fixed rate and puts no load on its target.',
    'load test*|stress test*|ddos|flood|hammer|requests per second|lasttest|anfragen pro sekunde|test de charge|requêtes par seconde|prueba de carga|peticiones por segundo|belastingstest|verzoeken per seconde',
  ],
  [
    'Paths and throughput are measured by agents and are no tests.',
    'traceroute|tracert|trace route|mtr|hops|speed test|speedtest|bandwidth|throughput|iperf|bandbreite|durchsatz|geschwindigkeitstest|bande passante|débit|ancho de banda|velocidad|bandbreedte|doorvoer|snelheidstest',
  ],
  [
    'That is no test: one asks a target again and again whether it answers as it should. Say what to ask, and what of.',
    'why|how many|poem|write|email me|mail me|send me|hack|hacks|attack*|exploit|brute force|crack|block|unblock|ban|install*|uninstall|upgrade|change|changes|log in to|log into|log in as|login as|sign in as|explain|translate|make a backup|take a backup|backup of|backups of|backup the|backup my|backup our|back up the|back up my|back up our|back up van|backup van|backup von|backup der|sicherung von|sicherung der|une sauvegarde|sauvegarde le|sauvegarde la|sauvegarde les|sauvegarder|una copia de seguridad|reservekopie|create an incident|open a ticket|whois|warum|wieso|wie viel*|schreib*|blockier*|sperr*|ändere|ändern|ändert|pourquoi|combien|écris|bloque|change le|por qué|cuánto*|escribe|bloquea|cambia|waarom|hoeveel|schrijf|blokkeer|wijzig*',
  ],
  [
    NO_TIME_OF_DAY,
    'every morning|each morning|every evening|each evening|every night|each night|on weekdays|weekdays only|business hours|office hours|jeden morgen|morgens|jeden abend|abends|jede nacht|nachts|werktags|geschäftszeiten|chaque matin|tous les matins|chaque soir|tous les soirs|chaque nuit|toutes les nuits|en semaine|cada mañana|todas las mañanas|cada noche|todas las noches|entre semana|elke ochtend|iedere ochtend|elke avond|elke nacht|doordeweeks|kantooruren',
  ],
  ['A WebSocket is no type of test: ask the URL that it begins with by https.', 'websocket|websockets'],
];
