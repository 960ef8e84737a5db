import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Belongs to the public internet; names of attacks lead there unless they are set otherwise, and nothing is sent to it. */
const PUBLIC_ADDRESS = "93.184.215.14";

/** A DNS-over-HTTPS server on this machine whose answers an attack may change at any time. */
export interface NameServer {
  /** For `MEDIA_DOH_URL`. */
  readonly url: string;
  /** From now on, the name leads to this IPv4 address. */
  lead(name: string, address: string): void;
  /** How often the service looked the name up. */
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
