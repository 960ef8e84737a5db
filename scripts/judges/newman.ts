import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import newman from "newman";
import converter, { type PostmanCollection, type PostmanItem } from "openapi-to-postmanv2";
import { call, withService } from "../service.ts";
import { createAskingKey, requestApproval } from "./demo/asking-key.ts";
import { findViolation, startPrism } from "./prism.ts";

/*
 * Imports the OpenAPI document as people import it into Postman, and sends the collection with Newman: `npm run judge:newman`. With the
 * document's examples every request must succeed, twice in a row, when its ids, its times and its media URL are real; with
 * the placeholders of an import by default nothing may fail on our side. Prism compares every response with the document.
 */

type Resolution = "Example" | "Schema";

const EXAMPLE_ACCOUNT_ID = "01983c1e-9021-7f55-b7d2-0c4b7b0e6d13";

/** The examples of the document that stand for something of the caller's. */
const EXAMPLES: readonly (readonly [example: string, variable: string])[] = [
  [EXAMPLE_ACCOUNT_ID, "{{account_id}}"],
  ["01983c1e-7d1a-7c3e-9a57-3f1f6f0f2a11", "{{post_id}}"],
  ["01983c1e-8f02-7b61-8d0c-6b1de2c4a9f7", "{{approval_id}}"],
  ["01983c1e-6b00-7a10-8a33-2f9d1c5e4b77", "{{workspace_id}}"],
  ["01983c1e-a1c4-7e02-9b36-5d8e7f1a0c22", "{{webhook_id}}"],
  ["01983c1e-b2d5-7f13-8c47-6e9f8a2b1d44", "{{draft_id}}"],
  ["evt_hpdvwo838o_01983c1e6b007a108a332f9d1c5e4b77", "{{event_id}}"],
  ["dlv_1", "{{delivery_id}}"],
  ["https://shop.example.com/almanac", "{{receiver_url}}"],
  ["Zk3mC0b1Yt8c2m5oQ7wVx9LrA4sE6uHj0PdKfGnBqTi", "{{confirmation_token}}"],
  ["q8Lw2Rk0Jx5eT1uYbN7cVh3DzPfS9aGmKi4oXnEt6Qs", "{{confirmation_token}}"],
  ["2026-12-24T18:00:00Z", "{{in_one_day}}"],
  ["2026-12-24T19:00:00Z", "{{in_two_days}}"],
  ["2026-12-25T18:00:00Z", "{{in_two_days}}"],
  ["2027-01-01T00:00:00Z", "{{in_two_days}}"],
  ["https://images.example.net/launch.jpg", "{{media_url}}"],
];

/** What a caller takes from a response for the next request. */
const TESTS: Readonly<Record<string, string>> = {
  "POST posts/preview": `pm.environment.set("confirmation_token", pm.response.json().confirmation_token)`,
  "POST posts/bulk/preview": `pm.environment.set("confirmation_token", pm.response.json().confirmation_token)`,
  "POST posts/confirm": `pm.environment.set("post_id", pm.response.json().posts[0].id)`,
  "POST posts/edit/preview": `pm.environment.set("confirmation_token", pm.response.json().confirmation_token)`,
};

/** Sent last, because they remove what the others need. */
const LAST = ["DELETE posts/:id", "DELETE accounts", "DELETE webhooks/:id", "DELETE drafts/:id"];

interface Run {
  readonly name: string;
  readonly resolution: Resolution;
  /** Whether every request must succeed. */
  readonly succeeds: boolean;
}

/** The second run finds what the first has left behind. */
const RUNS: readonly Run[] = [
  { name: "examples, first run", resolution: "Example", succeeds: true },
  { name: "examples, second run", resolution: "Example", succeeds: true },
  { name: "placeholders", resolution: "Schema", succeeds: false },
];

function importDocument(document: string, resolution: Resolution): Promise<PostmanCollection> {
  const { promise, resolve, reject } = Promise.withResolvers<PostmanCollection>();
  const options = { requestParametersResolution: resolution };
  converter.convert({ type: "string", data: document }, options, (error, { output, reason }) => {
    const collection = output?.[0]?.data;
    if (error || !collection) {
      reject(error ?? new Error(`the document cannot be imported: ${reason}`));
    } else {
      resolve(collection);
    }
  });
  return promise;
}

const requestsOf = (items: readonly PostmanItem[]): PostmanItem[] =>
  items.flatMap((item) => (item.item ? requestsOf(item.item) : [item]));

const nameOf = ({ request }: PostmanItem): string => `${request?.method} ${request?.url.path.join("/")}`;

/** The document has one example of an account id, but the boards are those of another platform. */
function withBoardAccount(item: PostmanItem): PostmanItem {
  const text = JSON.stringify(item);
  return item.name.endsWith("-boards")
    ? (JSON.parse(text.replaceAll(EXAMPLE_ACCOUNT_ID, "{{board_account_id}}")) as PostmanItem)
    : item;
}

/** The requests in an order in which each finds what it needs. */
function toCollection(imported: PostmanCollection): object {
  const requests = requestsOf(imported.item)
    .map((item) => ({ ...item, name: nameOf(item) }))
    .toSorted((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));
  const text = JSON.stringify({
    ...imported,
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{api_key}}" }] },
    variable: [],
    item: requests.map((item) => ({
      ...withBoardAccount(item),
      // The import repeats the document's two security schemes here; all requests use the key of the collection.
      request: { ...withBoardAccount(item).request, auth: null },
      event: [{ listen: "test", script: { type: "text/javascript", exec: [TESTS[item.name] ?? ""] } }],
    })),
  });
  return JSON.parse(EXAMPLES.reduce((rest, [example, variable]) => rest.replaceAll(example, variable), text)) as object;
}

interface Caller {
  readonly apiKey: string;
  /** Of a key whose previews a person confirms. */
  readonly askingKey: string;
  readonly workspaceId: string;
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A webhook that has got a test, and an event that was written for it. */
async function createWebhook(service: string, key: string): Promise<Readonly<Record<string, string>>> {
  const receiver = `${service}/sandbox/receivers/newman`;
  const body = { url: receiver, types: ["*"] };
  const { webhook } = await call<{ webhook: { id: string } }>(service, "POST", "/v1/webhooks", { key, body });
  await call(service, "POST", `/v1/webhooks/${webhook.id}/test`, { key });
  const path = `/v1/webhooks/${webhook.id}/deliveries`;
  const { deliveries } = await call<{ deliveries: { id: string }[] }>(service, "GET", path, { key });
  await call(service, "POST", "/sandbox/connect", { body: { api_key: key, platform: "x" } });
  const { events } = await call<{ events: { id: string }[] }>(service, "GET", "/v1/events", { key });
  return {
    receiver_url: receiver,
    webhook_id: webhook.id,
    delivery_id: deliveries[0]?.id ?? "",
    event_id: events[0]?.id ?? "",
  };
}

async function variablesFor(service: string, caller: Caller): Promise<Readonly<Record<string, string>>> {
  const connect = async (platform: string): Promise<string> => {
    const body = { api_key: caller.apiKey, platform };
    const { accounts } = await call<{ accounts: { id: string }[] }>(service, "POST", "/sandbox/connect", { body });
    return accounts[0]?.id ?? "";
  };
  const accountId = await connect("instagram");
  const { confirmation_token: token } = await call<{ confirmation_token: string }>(
    service,
    "POST",
    "/v1/posts/preview",
    {
      key: caller.askingKey,
      body: {
        caption: "Wait",
        scheduled_at: inHours(24),
        account_ids: [accountId],
        media_urls: [`${service}/sandbox/media/portrait.jpg`],
      },
    },
  );
  const { draft } = await call<{ draft: { id: string } }>(service, "POST", "/v1/drafts", {
    key: caller.apiKey,
    body: {
      caption: "Wait",
      account_ids: [accountId],
      media_urls: [`${service}/sandbox/media/portrait.jpg`],
    },
  });
  return {
    draft_id: draft.id,
    ...(await createWebhook(service, caller.apiKey)),
    api_key: caller.apiKey,
    account_id: accountId,
    approval_id: await requestApproval(service, caller.askingKey, token),
    board_account_id: await connect("pinterest"),
    workspace_id: caller.workspaceId,
    in_one_day: inHours(24),
    in_two_days: inHours(48),
    media_url: `${service}/sandbox/media/portrait.jpg`,
  };
}

interface Sent {
  readonly requests: number;
  readonly problems: readonly string[];
}

function send(collection: object, variables: Readonly<Record<string, string>>, succeeds: boolean): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
  newman.run({ collection, envVar, timeoutRequest: 30_000 }, (error, summary) => {
    if (error) {
      reject(error);
      return;
    }
    const { executions, failures } = summary.run;
    const problems = executions.flatMap(({ item, response, requestError }) => {
      if (!response) {
        return [`${item.name}: ${String(requestError)}`];
      }
      const violation = findViolation((name) => response.headers.get(name) ?? null, response.text());
      const isExpected = succeeds ? response.code < 300 : response.code < 500;
      return [
        ...(violation === null ? [] : [`${item.name} ${response.code}: ${violation}`]),
        ...(isExpected ? [] : [`${item.name} ${response.code}: ${response.text().slice(0, 500)}`]),
      ];
    });
    resolve({
      requests: executions.length,
      problems: [...problems, ...(succeeds ? failures.map((failure) => failure.error.message) : [])],
    });
  });
  return promise;
}

function idempotencyKeys(collection: PostmanCollection): string[] {
  const hasKey = ({ request }: PostmanItem) => request?.header?.some(({ key }) => /^idempotency-key$/i.test(key));
  return requestsOf(collection.item)
    .filter(hasKey)
    .map((item) => `${nameOf(item)} sends an Idempotency-Key, the same one in every run`);
}

async function runAll(service: string, folder: string): Promise<boolean> {
  const document = await (await fetch(`${service}/v1/openapi.json`)).text();
  const login = { email: `newman-${randomUUID()}@example.com`, password: "a collection for Newman" };
  const user = await call<{ api_key: string; workspace_id: string }>(service, "POST", "/sandbox/users", {
    body: login,
  });
  const caller = {
    apiKey: user.api_key,
    askingKey: await createAskingKey(service, login),
    workspaceId: user.workspace_id,
  };
  const prism = await startPrism(service, folder);
  let ok = true;
  try {
    for (const { name, resolution, succeeds } of RUNS) {
      const imported = await importDocument(document, resolution);
      const variables = await variablesFor(service, caller);
      const sent = await send(toCollection(imported), { ...variables, baseUrl: prism.baseUrl }, succeeds);
      const problems = [...idempotencyKeys(imported), ...sent.problems];
      ok &&= problems.length === 0 && sent.requests > 0;
      console.log(
        `${problems.length === 0 ? "ok  " : "FAIL"} Newman, ${name}: ${sent.requests} requests, ${problems.length} problems`,
      );
      for (const problem of problems) {
        console.log(`     ${problem}`);
      }
    }
  } finally {
    prism.stop();
  }
  return ok;
}

const folder = await mkdtemp(join(tmpdir(), "almanac-newman-"));
try {
  process.exitCode = (await withService(undefined, (service) => runAll(service, folder))) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
