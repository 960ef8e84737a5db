import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";
import { HOSTS, NAMES, urlsOf, withCanary } from "./hostile-addresses.ts";

/**
 * The URL of a page of our own origin that redirects to an address. An app at the simulated Mastodon chooses where a
 * login returns to.
 */
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
