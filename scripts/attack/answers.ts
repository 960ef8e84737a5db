import type { Topic } from "./attack.ts";
import type { AttackedService, AttackUser } from "./attacked-service.ts";

const MIB = 1024 ** 2;

/** Names a server to connect; the answer of the page. */
async function nameServer(service: AttackedService, { key }: AttackUser, server: string) {
  const { json } = await service.prepare("POST", "/v1/accounts", { key, json: { platform: "mastodon" } });
  const link = String(json.connect_url).slice(service.origin.length);
  return await service.send("POST", link, { form: { method: "oauth", server } });
}

export default {
  topic: "answers",
  attacks: [
    {
      name: "a server that a person names answers with more than the service reads",
      async run(service, log) {
        const user = await service.createUser();
        const setTitle = (length: number | null) =>
          service.prepare("POST", "/sandbox/platforms/mastodon/settings", { json: { title_length: length } });
        for (const length of [2 * MIB, 3 * MIB, 16 * MIB]) {
          await setTitle(length);
          const answer = await nameServer(service, user, "mastodon.example");
          log.expectStatus(`${length} characters`, answer, 400);
        }
        await setTitle(null);
        log.expectStatus("the same server, as it is", await nameServer(service, user, "mastodon.example"), 303);
      },
    },
  ],
} satisfies Topic;
