import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Private, local and special addresses, in spellings that URL parsers normalize. */
export const HOSTS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:10.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
];

/** Names of private networks, and names that their owners can let resolve to any address. */
export const NAMES = [
  "localhost",
  "localhost.",
  "a.localhost",
  "consul",
  "svc",
  "metadata",
  "kubernetes.default.svc",
  "router.local",
  "db.internal",
  "metadata.google.internal",
  "host.docker.internal",
  "printer.home.arpa",
  "nas.lan",
  "x.corp",
  "x.onion",
  "x.test",
  "x.invalid",
  "127.0.0.1.nip.io",
  "127.0.0.1.sslip.io",
  "localtest.me",
  "lvh.me",
  "1.0.0.127.in-addr.arpa",
];

const SCHEMES = [
  "file:///etc/passwd",
  "data:image/png;base64,AAAA",
  "ftp://example.com/a.png",
  "gopher://127.0.0.1/",
  "//127.0.0.1/",
];

/** Runs `work` with a server on this machine that no request may ever reach. */
export async function withCanary(work: (port: number, hits: () => readonly string[]) => Promise<void>): Promise<void> {
  const hits: string[] = [];
  const server: Server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "image/png" }).end("reached");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work((server.address() as AddressInfo).port, () => hits);
  } finally {
    server.close();
  }
}

/** Every hostile URL, including those of the server that no request may reach. */
export const urlsOf = (port: number): readonly string[] => [
  ...[...HOSTS, ...NAMES].map((host) => `https://${host}/a.png`),
  ...["127.0.0.1", "localhost", "[::1]", "127.1"].flatMap((host) => [
    `http://${host}:${port}/a.png`,
    `https://${host}:${port}/a.png`,
  ]),
  `https://user:password@127.0.0.1:${port}/a.png`,
  `https://example.com\\@127.0.0.1:${port}/a.png`,
  `https://127.0.0.1:${port}#.example.com/`,
  ...SCHEMES,
];
