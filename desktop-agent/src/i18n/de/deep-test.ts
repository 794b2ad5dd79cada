import type { deepTest as english } from '../en/deep-test.ts';
import type { Translation } from '../message.ts';

export const deepTest: Translation<typeof english> = {
  'deep.button': 'Genauer testen',
  'deep.cost': 'Sendet und empfängt bis zu {size} und dauert bis zu {duration}. Was dabei herauskommt, bleibt hier.',
  'deep.title': 'Genauer Test',
  'deep.busy': 'Genauer Test, noch {duration}',
  'deep.running': 'Die Leitung zu Ihrem Server wird einige Sekunden lang ausgelastet; Anrufe können so lange stocken.',
  'deep.part.line': 'Leitung unter Last',
  'deep.part.mtu': 'Paketgrößen',
  'deep.part.pings': 'Router',
  'deep.part.path': 'Weg ins Internet',
  'deep.done': 'Um {time} getestet.',
  'deep.failed': 'Der genauere Test von {time} endete vorzeitig. Bis dahin ergab er:',
  'deep.line.queue':
    'Unter Last staut es sich auf Ihrer Leitung: Antworten brauchen {idle}, wenn sie frei ist, und {loaded}, wenn sie ausgelastet ist. Anrufe stocken, sobald jemand viel sendet oder herunterlädt.',
  'deep.line.some': 'Antworten brauchen {idle}, wenn die Leitung frei ist, und {loaded}, wenn sie ausgelastet ist.',
  'deep.line.steady': 'Die Leitung bleibt auch unter Last schnell: {idle} ohne und {loaded} mit Last.',
  'deep.line.brief': 'Die Last war zu schnell vorbei, um einen Stau zu erkennen.',
  'deep.line.speed': 'Übertragen wurden {down} im Download und {up} im Upload.',
  'deep.line.not_enrolled': 'Die Leitung wurde nicht belastet: Dieses Gerät gehört noch zu keiner Organisation.',
  'deep.line.not_offered': 'Die Leitung wurde nicht belastet: Ihr Server bietet diesen Test noch nicht an.',
  'deep.line.too_often':
    'Die Leitung wurde nicht belastet: Ihr Server erlaubt vorerst keine weiteren Tests. Versuchen Sie es in einer Stunde noch einmal.',
  'deep.line.failed': 'Unter Last ist die Verbindung zu Ihrem Server abgebrochen.',
  'deep.mtu.whole': 'Pakete in voller Größe erreichen {host}.',
  'deep.mtu.smaller':
    'Pakete bis {bytes} Byte erreichen {host}. Bei größeren kommt eine Fehlermeldung zurück, sodass sich Programme anpassen.',
  'deep.mtu.hole':
    'Pakete über {bytes} Byte verschwinden auf dem Weg zu {host}, ohne dass eine Fehlermeldung zurückkommt: Verbindungen kommen zustande und bleiben dann hängen.',
  'deep.mtu.unknown': '{host} antwortet nicht auf solche Pakete; über ihre Größe ist daher nichts bekannt.',
  'deep.mtu.none': 'Es ist kein Dienst gewählt, den dieses Gerät direkt erreicht.',
  'deep.pings.all': 'Der Router hat alle {sent} Pings beantwortet, meist in {median}, höchstens in {worst}.',
  'deep.pings.some': 'Der Router hat {received} von {sent} Pings beantwortet, meist in {median}.',
  'deep.pings.silent': 'Der Router hat keinen von {sent} Pings beantwortet. Manche tun das nie.',
  'deep.pings.unmeasured': 'Nicht gemessen: {why}.',
  'deep.path.clear': '{target} ist {hops} Hops entfernt und antwortet in {rtt}. Unterwegs geht nichts verloren.',
  'deep.path.loss': 'Ab Hop {hop} von {hops} gehen auf dem Weg zu {target} {percent} der Pakete verloren.',
  'deep.path.delay': '{delay} von {rtt} kommen bei Hop {hop} von {hops} hinzu.',
  'deep.path.silent': '{target} antwortet nicht; der letzte Hop, der antwortet, ist Nummer {hops}.',
  'deep.path.inside': 'Das liegt noch vor dem Netz Ihres Providers.',
  'deep.path.edge': 'Das ist der Übergang zum Netz Ihres Providers.',
  'deep.path.beyond': 'Das liegt hinter dem Übergang zum Netz Ihres Providers.',
  'deep.path.none': 'Es ist kein Ziel gewählt.',
};
