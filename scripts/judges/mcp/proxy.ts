import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Passes requests on to the MCP server with a key, for a program that has no way to send one. */
export async function startProxy(origin: string, key: string): Promise<Proxy> {
  const target = new URL("/mcp", origin);
  const server = createServer((incoming, outgoing) => {
    const own = `localhost:${(server.address() as AddressInfo).port}`;
    // Replace only the proxy's own host name by the service's name. A test sends any other name on purpose.
    const host = incoming.headers.host === own ? target.host : incoming.headers.host;
    const forwarded = request(
      target,
      { method: incoming.method, headers: { ...incoming.headers, host, authorization: `Bearer ${key}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
