import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands between the command line and the service, and is told of each confirm before it is sent and before it is answered. */
export class ConfirmProxy {
  readonly #server: Server;

  constructor(origin: string, onConfirm: (moment: "before" | "after") => void) {
    this.#server = createServer((request, response) => {
      const forward = async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) {
          chunks.push(chunk as Buffer);
        }
        const isConfirm = request.url === "/v1/posts/confirm" || request.url === "/v1/posts/bulk/confirm";
        if (isConfirm) {
          onConfirm("before");
        }
        const answer = await fetch(`${origin}${request.url ?? "/"}`, {
          method: request.method ?? "GET",
          headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
            typeof value === "string" && !["host", "connection", "content-length", "expect"].includes(name)
              ? [[name, value]]
              : [],
          ),
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        });
        const body = await answer.text();
        if (isConfirm) {
          onConfirm("after");
        }
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
        response.end(body);
      };
      forward().catch(() => response.destroy());
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
