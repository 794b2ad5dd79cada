import type { Translation } from '../message.ts';
import type { VerdictMessages } from './en.ts';

export const verdictMessages: Translation<VerdictMessages> = {
  'fault.wifi_signal': 'La señal ronda {value}{since}: demasiado débil para una conexión rápida.',
  'fault.wifi_noise': 'La señal supera el ruido en solo {value}{since}.',
  'fault.wifi_airtime.busy': 'El canal está ocupado el {value} del tiempo{since}.',
  'fault.wifi_airtime.retries': 'En un canal saturado hay que reenviar el {value} de las tramas{since}.',
  'fault.gateway_unreachable': 'El router no responde{since}.',
  'fault.gateway_loss': 'El router ha perdido {lost} de {sent} paquetes de prueba ({value}){since}.',
  'fault.gateway_delay': 'El router tarda {value} en responder{since}.',
  'fault.isp_loss': 'Su primer router y los siguientes han perdido {lost} de {sent} paquetes de prueba ({value}){since}.',
  'fault.isp_delay': 'Su primer router tarda {value} en responder{since}.',
  'fault.queueing':
    'Las respuestas tardan {value}{since}, frente a {usual} con la línea libre: la línea está saturada y todo espera.',
  'fault.dns_slow': 'Buscar el nombre {target} tarda {value}{since}; el resto va rápido.',
  'fault.dns_failing': 'No se encuentra el nombre {target}{since} ({code}).',
  'fault.dns_lying': 'El servidor DNS da respuestas falsas{since}, también para {target}.',
  'fault.captive_portal': 'Esta red pide iniciar sesión{since} y hasta entonces no deja pasar nada.',
  'fault.certificate.expired': 'El certificado de {target} ha caducado.',
  'fault.certificate.not_yet_valid': 'Según el reloj de este equipo, el certificado de {target} aún no es válido.',
  'fault.certificate.authority': 'Este equipo no conoce a quien emitió el certificado de {target}.',
  'fault.certificate.name': 'El certificado que muestra {target} es de otro nombre.',
  'fault.certificate.other': 'Se rechaza el certificado de {target}{since} ({code}).',
  'fault.proxy': 'El proxy no deja pasar nada hacia {target}{since} ({code}).',
  'fault.service_error': '{target} responde con un error{since} ({code}).',
  'fault.service_unreachable': '{target} no acepta ninguna conexión{since} ({code}).',
  'fault.service_slow': '{target} tarda {value} en responder{since}.',
  'fault.path_loss':
    'Desde el salto {hop} de {hops}, más allá de la red del proveedor, se pierde el {value} de los paquetes{since}.',
  'fault.path_delay': 'Desde el salto {hop} de {hops}, más allá de la red del proveedor, las respuestas tardan {value}{since}.',
  'fault.lan_loss':
    'Desde el salto {hop} de {hops}, aún en la red privada tras la puerta de enlace, se pierde el {value}{since}.',
  'fault.lan_delay':
    'Desde el salto {hop} de {hops}, aún en la red privada tras la puerta de enlace, las respuestas tardan {value}{since}.',
  'fault.distance': '{target} está lejos: cada respuesta tarda {value}, como otros días, y no se pierde nada.',
  'fault.ipv6_broken': 'IPv6 no funciona aquí{since}: cada conexión espera {value} antes de pasar a IPv4.',
  'fault.mtu': 'Los paquetes grandes no llegan a {target}{since}; los pequeños, sí.',
  'fault.vpn': '{target} va lento o no se alcanza dentro de la VPN{since}.',
  'lead.queueing': 'La línea está saturada',
  'lead.captive_portal': 'Hay que iniciar sesión',
  'lead.certificate': 'Certificado rechazado',
  'lead.dns_slow': 'Resolución de nombres lenta',
  'lead.dns_failing': 'Nombre no encontrado',
  'lead.dns_lying': 'Respuestas DNS incorrectas',
  'lead.proxy': 'Bloqueado en el proxy',
  'lead.service_error': 'Un servicio devuelve un error',
  'lead.service_unreachable': 'Un servicio es inaccesible',
  'lead.ipv6_broken': 'IPv6 no funciona aquí',
  'lead.vpn': 'Lento dentro de la VPN',
  'try.wifi_signal':
    'Acérquese unos metros al punto de acceso o conecte un cable de red: las paredes y la distancia debilitan la señal.',
  'try.wifi_noise':
    'Elija la red de 5 GHz si la hay, o conecte un cable de red: otros aparatos inalámbricos cercanos interfieren con la señal.',
  'try.wifi_airtime':
    'Elija la red de 5 GHz o 6 GHz si la hay, o conecte un cable de red. Quien administra el punto de acceso puede ponerlo en un canal más libre.',
  'try.gateway_unreachable':
    'En casa, apague y encienda el router. En la oficina, avise a soporte: no se llega a nada más allá del router.',
  'try.gateway_loss': 'Conecte un cable de red, o cambie el que usa: se pierden datos entre el equipo y el router.',
  'try.gateway_delay': 'Reinicie el router o conecte un cable de red: el router responde tarde aunque nada antes de él va lento.',
  'try.isp_loss': 'Envíe la ruta al proveedor: se pierden datos desde su primer router. Moverse o reiniciar no servirá de nada.',
  'try.isp_delay': 'Envíe la ruta al proveedor: el retraso empieza en su primer router. Moverse o reiniciar no servirá de nada.',
  'try.queueing':
    'Detenga las subidas grandes, las copias de seguridad y las actualizaciones en esta línea y pruebe otra vez: con la línea llena, todo espera.',
  'try.dns_slow':
    'En casa, reinicie el router. En la oficina, pida a informática que revise el servidor DNS: una vez hallado el nombre, todo va rápido.',
  'try.dns_failing':
    'En casa, reinicie el router. En la oficina, diga a soporte que falla el servidor DNS: sin él no se encuentra ningún servicio.',
  'try.dns_lying':
    'No escriba ninguna contraseña hasta que se aclare. Diga a informática qué red es: algo en ella cambia las respuestas.',
  'try.captive_portal': 'Abra un navegador e inicie sesión en esta red.',
  'try.certificate.expired': 'No pase por alto el aviso. Quien administra {target} debe renovar el certificado.',
  'try.certificate.not_yet_valid': 'Revise la fecha y la hora del equipo: según su reloj, el certificado aún no es válido.',
  'try.certificate.authority':
    'No pase por alto el aviso. Pregunte a informática si hay que instalar en el equipo el certificado de su inspección TLS.',
  'try.certificate.name': 'No pase por alto el aviso. Quien administra {target} debe instalar el certificado correcto.',
  'try.certificate.other': 'No pase por alto el aviso. Dé el código a quien administra {target}.',
  'try.proxy': 'Pida a informática que revise el proxy y lo que permite: el camino hasta el proxy está bien.',
  'try.service_error':
    'Avise a quien administra {target}: se puede llegar al servicio, pero responde con un error. La red no es la causa.',
  'try.service_unreachable': 'Avise a quien administra {target}: ese servicio no acepta conexiones.',
  'try.service_slow':
    'Avise a quien administra {target}: según lo medido, la ruta está libre y es el propio servicio el que va lento.',
  'try.path_loss': 'Envíe la ruta al proveedor: la pérdida empieza más allá de su red, y solo él puede hacer que se arregle.',
  'try.path_delay': 'Envíe la ruta al proveedor: el retraso empieza más allá de su red, y solo él puede hacer que se arregle.',
  'try.lan_loss':
    'En el trabajo, envíe la ruta a sistemas: la pérdida empieza en la red de la empresa, no en el proveedor. En casa, reinicie el rúter que hay tras el suyo.',
  'try.lan_delay':
    'En el trabajo, envíe la ruta a sistemas: el retraso empieza en la red de la empresa, no en el proveedor. En casa, reinicie el rúter que hay tras el suyo.',
  'try.distance':
    'No hay nada que arreglar: la distancia lleva este tiempo. Un centro del servicio más cercano sería más rápido.',
  'try.ipv6_broken':
    'Pida a sistemas o, en casa, al proveedor que arreglen IPv6 o lo desactiven: todo funciona por IPv4, solo que más tarde.',
  'try.mtu':
    'Pida a informática que reduzca el tamaño de paquete (MTU) de la VPN o del router: los paquetes grandes se pierden por el camino sin mensaje de error.',
  'try.vpn': 'Pruebe otra vez fuera de la VPN si puede, y diga a informática qué servidor VPN era.',
  'actor.person': 'Puede hacerlo quien usa el equipo.',
  'actor.it': 'Es asunto de informática.',
  'actor.provider': 'Es asunto del proveedor.',
  'actor.service': 'Es asunto de quien administra el servicio.',
  'actor.nobody': 'Solo queda esperar.',
  also: 'Además: {fault}',
  'notice.title': 'Nada de lo que usa va lento',
  'measuring.title': 'Midiendo',
  'measuring.detail': 'Nada lento hasta ahora: ya se han medido {n} de {of} capas.',
  'measuring.unseen': 'El camino hasta allí aún se está midiendo.',
  'partial.title': 'Nada lento en lo que se ha medido',
  'partial.detail': {
    one: 'Nada va lento en la única capa de {of} que se ha medido aquí.',
    other: 'Nada va lento en las {n} capas de {of} que se han medido aquí.',
  },
  flips: { one: 'Cambió una vez en la última hora.', other: 'Va y viene: {n} cambios en la última hora.' },
};
