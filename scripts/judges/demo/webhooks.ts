import { call, sleep } from "../../service.ts";

/** Receivers of the sandbox and what they answer: the last answer is the one that stays. */
const RECEIVERS = [
  { description: "Newsroom bot", answers: [{ status: 500, body: '{"error":"database is locked"}', times: 2 }] },
  { description: "Customer list", answers: [{ status: 503, body: "upstream connect error: <b>no healthy host</b>" }] },
  { description: "Old importer", answers: [{ status: 410, body: "moved away" }] },
] as const;

const TRIED_TIMEOUT_MS = 30_000;

/** Webhooks in each state: one that works, one that fails, and one that its receiver ended. Returns the id of the first. */
export async function createWebhooks(origin: string, key: string): Promise<string> {
  const ids: string[] = [];
  for (const { description, answers } of RECEIVERS) {
    const address = `${origin}/sandbox/receivers/${description.replaceAll(" ", "-").toLowerCase()}-${Date.now().toString(36)}`;
    await call(origin, "PUT", `${new URL(address).pathname}/behaviour`, { body: { answers } });
    const { webhook } = await call<{ webhook: { id: string } }>(origin, "POST", "/v1/webhooks", {
      key,
      body: { url: address, description, types: ["*"] },
    });
    ids.push(webhook.id);
  }
  return ids[0] ?? "";
}

interface Deliveries {
  readonly deliveries: readonly { readonly id: string; readonly status: string; readonly tries: readonly object[] }[];
  readonly next_before: string | null;
}

/** A delivery that arrived at its second try. */
export async function findTriedDelivery(origin: string, key: string, webhookId: string): Promise<string> {
  for (const deadline = Date.now() + TRIED_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
    let before: string | null = "";
    while (before !== null) {
      const path: string = `/v1/webhooks/${webhookId}/deliveries?status=delivered&limit=100${before && `&before=${before}`}`;
      const page: Deliveries = await call<Deliveries>(origin, "GET", path, { key });
      const tried = page.deliveries.find(({ tries }) => tries.length > 1);
      if (tried !== undefined) {
        return tried.id;
      }
      before = page.next_before;
    }
  }
  throw new Error("no delivery arrived at its second try");
}
