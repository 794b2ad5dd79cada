import type { verdict as english } from '../en/verdict.ts';
import type { Translation } from '../message.ts';

export const verdict: Translation<typeof english> = {
  'cause.none': 'In Ordnung',
  'cause.wifi': 'WLAN',
  'cause.local': 'Lokales Netz',
  'cause.isp': 'Provider',
  'cause.network': 'Dahinter',
  'cause.unknown': 'Ursache unbekannt',
  'title.none': 'Alles in Ordnung',
  'title.wifi': 'Langsam wegen des WLANs',
  'title.local': 'Langsam wegen des lokalen Netzes',
  'title.isp': 'Langsam wegen des Providers',
  'title.network': 'Langsam hinter dem Provider',
  'title.unknown': 'Langsam: Ursache unbekannt',
  'healthy.all': 'Alle 4 Schichten sind in Ordnung.',
  'healthy.some': {
    one: 'Die eine Schicht, die hier messbar ist, ist in Ordnung.',
    other: 'Die {n} Schichten, die hier messbar sind, sind in Ordnung.',
  },
  'fault.weak_signal': 'Signal {since} bei etwa {rssi}: zu schwach für eine schnelle Verbindung.',
  'fault.weak_signal_percent': 'Signal {since} bei etwa {signal}: zu schwach für eine schnelle Verbindung.',
  'fault.noise': 'Das Signal von {rssi} liegt {since} nur {snr} über dem Rauschen.',
  'fault.gateway_silent': 'Das Gateway antwortet {since} nicht.',
  'fault.gateway_loss': 'Das Gateway hat {since} {lost} von {sent} Proben verloren ({percent}).',
  'fault.gateway_slow': 'Das Gateway braucht {since} {rtt} für eine Antwort.',
  'fault.isp_loss': 'Sein erster Router und die dahinter haben {since} {lost} von {sent} Proben verloren ({percent}).',
  'fault.isp_slow': 'Sein erster Router braucht {since} {rtt} für eine Antwort.',
  'fault.session_failed': '{target} antwortet {since} nicht.',
  'fault.session_slow': '{target} braucht {since} {total} zum Öffnen.',
  'fault.others': { one: '{n} von {of} Diensten ist langsam.', other: '{n} von {of} Diensten sind langsam.' },
  'fault.unseen': 'Der Weg dorthin ist von hier aus nicht zu sehen.',
  'fault.none': 'Etwas ist {since} langsam, und keine Schicht zeigt, warum.',
  'fine.wifi': 'WLAN',
  'fine.local': 'lokales Netz',
  'fine.isp': 'Provider',
  'fine.network': 'alles hinter dem Provider',
  fine: { one: '{list}: in Ordnung.', other: '{list} sind in Ordnung.' },
  'since.today': 'seit {time}',
  'since.yesterday': 'seit gestern {time}',
  'since.date': 'seit dem {date} um {time}',
  'until.today': 'bis {time}',
  'until.tomorrow': 'bis morgen {time}',
  'until.date': 'bis {date} um {time}',
  'try.weak_signal':
    'Gehen Sie ein paar Meter auf den Access Point zu oder stecken Sie ein Kabel ein: Wände und Abstand schwächen das Signal.',
  'try.weak_signal_percent':
    'Gehen Sie ein paar Meter auf den Access Point zu oder stecken Sie ein Kabel ein: Wände und Abstand schwächen das Signal.',
  'try.noise':
    'Wählen Sie das 5-GHz-Netz, falls es eines gibt, oder stecken Sie ein Kabel ein: andere Funkgeräte in der Nähe übertönen das Signal.',
  'try.gateway_silent':
    'Zu Hause: Router aus- und wieder einschalten. Im Büro: dem Helpdesk Bescheid geben. Durch das Gateway kommt nichts hindurch.',
  'try.gateway_loss':
    'Stecken Sie ein Kabel ein oder nehmen Sie ein anderes: zwischen diesem Gerät und dem Gateway gehen Daten verloren.',
  'try.gateway_slow':
    'Halten Sie große Uploads und Datensicherungen in Ihrem Netz an und testen Sie noch einmal: ist die Leitung voll, antwortet das Gateway spät.',
  'try.isp_loss':
    'Geben Sie Ihrem Provider oder Helpdesk den Text aus „Für Helpdesk kopieren“: Standortwechsel oder Neustart helfen hier nicht.',
  'try.isp_slow':
    'Halten Sie große Uploads an und testen Sie noch einmal. Bleibt es so, ist die Leitung zum Provider langsam: „Für Helpdesk kopieren“ sagt, wie sehr.',
  'try.session_failed':
    'Versuchen Sie es in ein paar Minuten noch einmal: Ihr eigenes Netz ist in Ordnung, der Dienst oder der Weg dorthin ist gestört.',
  'try.session_slow':
    'Warten Sie oder nutzen Sie solange einen anderen Dienst: nichts, was Sie an diesem Gerät ändern, macht ihn schneller.',
  'try.unknown':
    'Testen Sie in ein paar Minuten noch einmal. Bleibt es langsam, senden Sie den Text aus „Für Helpdesk kopieren“.',
  'try.captive': 'Öffnen Sie einen Browser und melden Sie sich in diesem Netz an: bis dahin hält es offenbar alles zurück.',
  'try.healthy': 'Fühlt sich ein Programm weiter langsam an, starten Sie es neu: am Netz liegt es nicht.',
  'try.nothing': 'Verbinden Sie sich mit einem Netz und testen Sie noch einmal: im Moment ist keines zu messen.',
  'try.label': 'Versuchen Sie',
  'why.not_supported': 'nicht messbar',
  'why.permission': 'ohne Erlaubnis',
  'why.withheld': 'zurückgehalten',
  'why.no_target': 'kein Ziel',
  'why.wired': 'am Kabel',
  'why.tunnel': 'in einem VPN',
  'why.asleep': 'im Ruhezustand',
  'why.not_built': 'noch nicht gebaut',
  'whyLong.not_supported': 'dieses System oder seine Hardware verrät es nicht',
  'whyLong.permission': 'das System verlangt zuerst eine Erlaubnis',
  'whyLong.withheld': 'es wird aus Datenschutz zurückgehalten',
  'whyLong.no_target': 'niemand hat ein Ziel gewählt',
  'whyLong.wired': 'dieses Gerät hängt am Kabel',
  'whyLong.tunnel': 'ein VPN verbirgt es',
  'whyLong.asleep': 'das Gerät war im Ruhezustand',
  'whyLong.not_built': 'dieses Programm kann es auf diesem System noch nicht',
};
