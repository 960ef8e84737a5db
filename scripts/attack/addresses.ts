import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";

/** Private, local and special addresses in the spellings that URL parsers normalize. */
const HOSTS = [
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

/** Names of private networks, and names whose owners let them resolve to any address. */
const NAMES = [
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

/** A server on this machine that nothing may ever reach. */
async function withCanary(work: (port: number, hits: () => readonly string[]) => Promise<void>): Promise<void> {
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

const urlsOf = (port: number): readonly string[] => [
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

/** A page of our own origin that redirects to this address: an app at the simulated Mastodon chooses where a login returns to. */
async function redirectTo(service: AttackedService, target: string): Promise<string> {
  const { json } = await service.prepare("POST", "/sandbox/mastodon.example/api/v1/apps", {
    json: { client_name: "Redirect", redirect_uris: [target], scopes: "read" },
  });
  const query = new URLSearchParams({
    client_id: json.client_id,
    redirect_uri: target,
    response_type: "code",
    scope: "read",
    login: "ada",
  });
  return `${service.origin}/sandbox/mastodon.example/oauth/authorize?${String(query)}`;
}

export default {
  topic: "addresses",
  attacks: [
    {
      name: "media at private addresses and special-use names, in an import and in a preview",
      async run(service, log) {
        const user = await service.createUser();
        const accountIds = [await service.connect(user)];
        const { key } = user;
        await withCanary(async (port, hits) => {
          for (const url of urlsOf(port)) {
            const imported = await service.send("POST", "/v1/media", { key, json: { urls: [url] } });
            log.expectStatus(`import ${url}`, imported, 400);
            const json = {
              caption: "x",
              scheduled_at: "2027-01-01T00:00:00Z",
              account_ids: accountIds,
              media_urls: [url],
            };
            log.expectStatus(`preview ${url}`, await service.send("POST", "/v1/posts/preview", { key, json }), 400);
          }
          log.expect(hits().length === 0, "nothing reached", `the service called ${hits().join(", ")}`);
        });
      },
    },
    {
      name: "media at a public address that redirects to a private one",
      async run(service, log) {
        const { key } = await service.createUser();
        await withCanary(async (port, hits) => {
          for (const target of [
            `http://127.0.0.1:${port}/a.png`,
            `http://localhost:${port}/a.png`,
            "https://10.0.0.1/a",
          ]) {
            const url = await redirectTo(service, target);
            const redirect = await service.send("GET", url.slice(service.origin.length));
            log.expect(
              redirect.location?.startsWith(target) ?? false,
              "the redirect works",
              `${url}: ${redirect.status}`,
            );
            const answer = await service.send("POST", "/v1/media", { key, json: { urls: [url] } });
            log.expectStatus(target, answer, 400);
          }
          log.expect(hits().length === 0, "nothing reached", `the service followed to ${hits().join(", ")}`);
        });
      },
    },
    {
      name: "servers to connect at private addresses",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        await withCanary(async (port, hits) => {
          for (const host of [...HOSTS, ...NAMES, `127.0.0.1:${port}`, `localhost:${port}`]) {
            const { json } = await service.prepare("POST", "/v1/accounts", {
              key: user.key,
              json: { platform: "mastodon" },
            });
            const link = String(json.connect_url).slice(service.origin.length);
            const answer = await service.send("POST", link, { form: { method: "oauth", server: host } });
            log.expectStatus(host, answer, 400);
          }
          log.expect(hits().length === 0, "nothing reached", `the service called ${hits().join(", ")}`);
        });
      },
    },
    {
      name: "metadata documents of OAuth clients at private addresses",
      slow: true,
      async run(service, log) {
        const cookie = await service.signIn(await service.createUser());
        await withCanary(async (port, hits) => {
          for (const url of urlsOf(port)) {
            const query = new URLSearchParams({ client_id: url, redirect_uri: url, response_type: "code" });
            const answer = await service.send("GET", `/oauth/authorize?${String(query)}`, { cookie });
            log.expectStatus(url, answer, 400);
          }
          log.expect(hits().length === 0, "nothing reached", `the service called ${hits().join(", ")}`);
        });
      },
    },
  ],
} satisfies Topic;
