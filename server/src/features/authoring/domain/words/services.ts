/** Services that are known by their name: where they listen, and how (IANA names and what is usual). */
export interface Service {
  port: number;
  protocol: 'tcp' | 'udp';
  security?: 'tls' | 'smtp';
}

const tcp = (port: number): Service => ({ port, protocol: 'tcp' });
const tls = (port: number): Service => ({ port, protocol: 'tcp', security: 'tls' });
const udp = (port: number): Service => ({ port, protocol: 'udp' });

/** By their folded names. */
export const SERVICES: Readonly<Record<string, Service>> = {
  ...{ ssh: tcp(22), sftp: tcp(22), ftp: tcp(21), ftps: tls(990), smtp: tcp(25), smtps: tls(465) },
  ...{
    submission: { port: 587, protocol: 'tcp', security: 'smtp' },
    imap: tcp(143),
    imaps: tls(993),
    pop3: tcp(110),
    pop3s: tls(995),
  },
  ...{ ldap: tcp(389), ldaps: tls(636), kerberos: tcp(88), rdp: tcp(3389), vnc: tcp(5900), smb: tcp(445), cifs: tcp(445) },
  ...{ nfs: tcp(2049), rsync: tcp(873), git: tcp(9418), mysql: tcp(3306), mariadb: tcp(3306), postgres: tcp(5432) },
  ...{ postgresql: tcp(5432), mssql: tcp(1433), oracle: tcp(1521), redis: tcp(6379), memcached: tcp(11211), mongodb: tcp(27017) },
  ...{
    mongo: tcp(27017),
    cassandra: tcp(9042),
    elasticsearch: tcp(9200),
    kafka: tcp(9092),
    rabbitmq: tcp(5672),
    amqp: tcp(5672),
  },
  ...{ amqps: tls(5671), mqtt: tcp(1883), mqtts: tls(8883), nats: tcp(4222), zookeeper: tcp(2181), etcd: tcp(2379) },
  ...{ clickhouse: tcp(9000), bgp: tcp(179), winrm: tcp(5985), ntp: udp(123), snmp: udp(161), syslog: udp(514), sip: udp(5060) },
  ...{
    radius: udp(1812),
    tftp: udp(69),
    wireguard: udp(51820),
    openvpn: udp(1194),
    ipsec: udp(500),
    stun: udp(3478),
    dhcp: udp(67),
  },
};
