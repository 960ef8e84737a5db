import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A public address to which names lead unless the attack sets another. Nothing is sent to it. */
const PUBLIC_ADDRESS = "93.184.215.14";

/** A DNS-over-HTTPS server on this machine, whose answers an attack can change at any time. */
export interface NameServer {
  /** The URL of the server, for `MEDIA_DOH_URL`. */
  readonly url: string;
  /** Makes a name lead to an IPv4 address from now on. */
  lead(name: string, address: string): void;
  /** How often the service has looked up a name. */
  asked(name: string): number;
  stop(): void;
}

const TYPE_A = 1;

export async function startNameServer(): Promise<NameServer> {
  const addresses = new Map<string, string>();
  const questions = new Map<string, number>();
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const name = searchParams.get("name") ?? "";
    const isForIpv4 = searchParams.get("type") === "A";
    if (isForIpv4) {
      questions.set(name, (questions.get(name) ?? 0) + 1);
    }
    const data = addresses.get(name) ?? PUBLIC_ADDRESS;
    const answer = isForIpv4 ? [{ name, type: TYPE_A, TTL: 0, data }] : [];
    response
      .writeHead(200, { "content-type": "application/dns-json" })
      .end(JSON.stringify({ Status: 0, Answer: answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`,
    lead: (name, address) => void addresses.set(name, address),
    asked: (name) => questions.get(name) ?? 0,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
