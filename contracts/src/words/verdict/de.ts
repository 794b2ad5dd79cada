import type { Translation } from '../message.ts';
import type { VerdictMessages } from './en.ts';

export const verdictMessages: Translation<VerdictMessages> = {
  'fault.wifi_signal': 'Das Signal liegt{since} bei etwa {value}, zu schwach für eine schnelle Verbindung.',
  'fault.wifi_noise': 'Das Signal liegt{since} nur {value} über dem Rauschen.',
  'fault.wifi_airtime.busy': 'Der Funkkanal ist{since} zu {value} der Zeit belegt.',
  'fault.wifi_airtime.retries':
    'Auf dem überfüllten Funkkanal müssen{since} etwa {value} aller Pakete noch einmal gesendet werden.',
  'fault.gateway_unreachable': 'Der Router antwortet{since} nicht.',
  'fault.gateway_loss': 'Der Router hat{since} von {sent} Testpaketen {lost} verloren ({value}).',
  'fault.gateway_delay': 'Der Router antwortet{since} erst nach {value}.',
  'fault.isp_loss': 'Sein erster Router und die dahinter haben{since} von {sent} Testpaketen {lost} verloren ({value}).',
  'fault.isp_delay': 'Sein erster Router antwortet{since} erst nach {value}.',
  'fault.queueing':
    'Antworten dauern{since} etwa {value}, bei freier Leitung {usual}: Die Leitung ist ausgelastet, und alles wartet.',
  'fault.dns_slow': 'Die Namensauflösung für {target} dauert{since} etwa {value}, der Rest geht schnell.',
  'fault.dns_failing': 'Der Name {target} wird{since} nicht gefunden ({code}).',
  'fault.dns_lying': 'Der DNS-Server gibt{since} falsche Antworten, auch für {target}.',
  'fault.captive_portal': 'Dieses Netzwerk verlangt{since} eine Anmeldung und lässt bis dahin nichts durch.',
  'fault.certificate.expired': 'Das Zertifikat von {target} ist abgelaufen.',
  'fault.certificate.not_yet_valid': 'Das Zertifikat von {target} ist nach der Uhr dieses Geräts noch nicht gültig.',
  'fault.certificate.authority': 'Dieses Gerät kennt den Aussteller des Zertifikats von {target} nicht.',
  'fault.certificate.name': 'Das Zertifikat, das {target} vorzeigt, gilt für einen anderen Namen.',
  'fault.certificate.other': 'Das Zertifikat von {target} wird{since} abgelehnt ({code}).',
  'fault.proxy': 'Der Proxy lässt{since} nichts zu {target} durch ({code}).',
  'fault.service_error': '{target} antwortet{since} mit einem Fehler ({code}).',
  'fault.service_unreachable': '{target} nimmt{since} keine Verbindung an ({code}).',
  'fault.service_slow': '{target} antwortet{since} erst nach {value}.',
  'fault.path_loss': 'Ab Hop {hop} von {hops}, hinter dem Netz des Providers, gehen{since} etwa {value} der Pakete verloren.',
  'fault.path_delay': 'Ab Hop {hop} von {hops}, hinter dem Netz des Providers, dauern Antworten{since} etwa {value}.',
  'fault.lan_loss':
    'Ab Hop {hop} von {hops}, noch im privaten Netz hinter dem Router, gehen{since} etwa {value} der Pakete verloren.',
  'fault.lan_delay': 'Ab Hop {hop} von {hops}, noch im privaten Netz hinter dem Router, dauern Antworten{since} etwa {value}.',
  'fault.distance': '{target} ist weit weg: Jede Antwort dauert {value}, wie an anderen Tagen, und nichts geht verloren.',
  'fault.ipv6_broken': 'IPv6 funktioniert hier{since} nicht: Jede Verbindung wartet {value}, bevor sie über IPv4 geht.',
  'fault.mtu': 'Große Pakete kommen{since} nicht bei {target} an, kleine schon.',
  'fault.vpn': '{target} ist{since} im VPN langsam oder nicht erreichbar.',
  'lead.queueing': 'Die Leitung ist ausgelastet',
  'lead.captive_portal': 'Anmeldung nötig',
  'lead.certificate': 'Zertifikat abgelehnt',
  'lead.dns_slow': 'Langsame Namensauflösung',
  'lead.dns_failing': 'Ein Name wird nicht gefunden',
  'lead.dns_lying': 'Falsche DNS-Antworten',
  'lead.proxy': 'Am Proxy aufgehalten',
  'lead.service_error': 'Ein Dienst meldet einen Fehler',
  'lead.service_unreachable': 'Ein Dienst ist nicht erreichbar',
  'lead.ipv6_broken': 'IPv6 funktioniert hier nicht',
  'lead.vpn': 'Langsam im VPN',
  'try.wifi_signal':
    'Gehen Sie ein paar Meter näher an den Access Point oder schließen Sie ein Netzwerkkabel an: Wände und Entfernung schwächen das Signal.',
  'try.wifi_noise':
    'Wählen Sie das 5-GHz-Netzwerk, falls es eines gibt, oder schließen Sie ein Netzwerkkabel an: Andere Funkgeräte in der Nähe stören.',
  'try.wifi_airtime':
    'Wählen Sie das 5- oder 6-GHz-Netzwerk, falls es eines gibt, oder schließen Sie ein Netzwerkkabel an. Wer den Access Point betreibt, kann einen freieren Kanal einstellen.',
  'try.gateway_unreachable':
    'Zu Hause: Schalten Sie den Router aus und wieder ein. Im Büro: Geben Sie dem Helpdesk Bescheid. Hinter dem Router ist nichts erreichbar.',
  'try.gateway_loss':
    'Schließen Sie ein Netzwerkkabel an oder nehmen Sie ein anderes: Zwischen Gerät und Router gehen Daten verloren.',
  'try.gateway_delay':
    'Starten Sie den Router neu oder schließen Sie ein Netzwerkkabel an: Der Router antwortet spät, obwohl davor nichts langsam ist.',
  'try.isp_loss':
    'Schicken Sie dem Provider den Pfad: Ab seinem ersten Router gehen Daten verloren. Standortwechsel oder Neustart helfen hier nicht.',
  'try.isp_delay':
    'Schicken Sie dem Provider den Pfad: Die Verzögerung beginnt an seinem ersten Router. Standortwechsel oder Neustart helfen hier nicht.',
  'try.queueing':
    'Halten Sie große Uploads, Backups und Updates auf dieser Leitung an und testen Sie noch einmal: Ist die Leitung voll, wartet alles.',
  'try.dns_slow':
    'Zu Hause: Starten Sie den Router neu. Im Büro: Bitten Sie die IT, den DNS-Server zu prüfen. Ist ein Name gefunden, geht alles schnell.',
  'try.dns_failing':
    'Zu Hause: Starten Sie den Router neu. Im Büro: Sagen Sie dem Helpdesk, dass der DNS-Server ausfällt. Ohne ihn wird kein Dienst gefunden.',
  'try.dns_lying':
    'Geben Sie kein Passwort ein, bis das geklärt ist. Sagen Sie der IT, welches Netzwerk es ist: Etwas darin verändert die Antworten.',
  'try.captive_portal': 'Öffnen Sie einen Browser und melden Sie sich in diesem Netzwerk an.',
  'try.certificate.expired': 'Umgehen Sie die Warnung nicht. Wer {target} betreibt, muss das Zertifikat erneuern.',
  'try.certificate.not_yet_valid':
    'Prüfen Sie Datum und Uhrzeit des Geräts: Nach seiner Uhr ist das Zertifikat noch nicht gültig.',
  'try.certificate.authority':
    'Umgehen Sie die Warnung nicht. Fragen Sie die IT, ob auf dem Gerät das Zertifikat ihrer TLS-Prüfung installiert werden muss.',
  'try.certificate.name': 'Umgehen Sie die Warnung nicht. Wer {target} betreibt, muss das richtige Zertifikat einrichten.',
  'try.certificate.other': 'Umgehen Sie die Warnung nicht. Nennen Sie dem Betreiber von {target} den Code.',
  'try.proxy': 'Bitten Sie die IT, den Proxy und seine Freigaben zu prüfen: Der Weg bis zum Proxy ist in Ordnung.',
  'try.service_error':
    'Sagen Sie dem Betreiber von {target} Bescheid: Der Dienst ist erreichbar und meldet einen Fehler. Am Netzwerk liegt es nicht.',
  'try.service_unreachable': 'Sagen Sie dem Betreiber von {target} Bescheid: Dort kommt keine Verbindung zustande.',
  'try.service_slow':
    'Sagen Sie dem Betreiber von {target} Bescheid: Soweit gemessen, ist der Weg dorthin frei; langsam ist der Dienst selbst.',
  'try.path_loss':
    'Schicken Sie dem Provider den Pfad: Der Verlust beginnt hinter seinem Netz, und nur er kann ihn beheben lassen.',
  'try.path_delay':
    'Schicken Sie dem Provider den Pfad: Die Verzögerung beginnt hinter seinem Netz, und nur er kann sie beheben lassen.',
  'try.lan_loss':
    'Im Büro: Geben Sie der IT den Pfad. Der Verlust beginnt im Firmennetz, nicht beim Provider. Zu Hause: Starten Sie den Router hinter Ihrem neu.',
  'try.lan_delay':
    'Im Büro: Geben Sie der IT den Pfad. Die Verzögerung beginnt im Firmennetz, nicht beim Provider. Zu Hause: Starten Sie den Router hinter Ihrem neu.',
  'try.distance':
    'Hier gibt es nichts zu reparieren: Die Entfernung braucht diese Zeit. Ein Standort des Dienstes in Ihrer Nähe wäre schneller.',
  'try.ipv6_broken':
    'Bitten Sie die IT oder zu Hause den Provider, IPv6 zu reparieren oder abzuschalten: Über IPv4 geht alles, nur später.',
  'try.mtu':
    'Bitten Sie die IT, die Paketgröße (MTU) von VPN oder Router zu verkleinern: Große Pakete gehen unterwegs ohne Meldung verloren.',
  'try.vpn': 'Testen Sie noch einmal ohne VPN, wenn Sie dürfen, und sagen Sie der IT, welches VPN-Gateway es war.',
  'actor.person': 'Das kann tun, wer das Gerät benutzt.',
  'actor.it': 'Das ist Sache der IT.',
  'actor.provider': 'Das ist Sache des Providers.',
  'actor.service': 'Das ist Sache des Betreibers.',
  'actor.nobody': 'Hier hilft nur abwarten.',
  also: 'Außerdem: {fault}',
  'notice.title': 'Nichts, was Sie nutzen, ist langsam',
  'measuring.title': 'Messung läuft',
  'measuring.detail': 'Bisher ist nichts langsam: {n} von {of} Schichten sind schon gemessen.',
  'measuring.unseen': 'Der Weg dorthin wird noch gemessen.',
  'partial.title': 'Nichts langsam, soweit gemessen',
  'partial.detail': {
    one: 'In der einen von {of} Schichten, die hier gemessen wurde, ist nichts langsam.',
    other: 'In den {n} von {of} Schichten, die hier gemessen wurden, ist nichts langsam.',
  },
  flips: {
    one: 'In der letzten Stunde hat sich das einmal geändert.',
    other: 'Es kommt und geht: {n} Wechsel in der letzten Stunde.',
  },
};
