import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, test } from "vitest";
import { createApi } from "#api/index.ts";
import { generateSecret } from "#auth/secrets.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import { SCOPES } from "#core/scope.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import type { D1Counts } from "#sandbox/d1-counter.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { connectAccounts, previewTextPost } from "../support/api-workflows.ts";
import { forgetInIsolate } from "../support/forget-in-isolate.ts";
import guide from "../../docs/guide/limits-and-cost.md?raw";
import { SequentialTrips } from "../support/sequential-trips.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../support/create-caller.ts";
import { openApiDocument, operationsOf } from "../support/openapi-document.ts";
import { ORIGIN } from "../support/origin.ts";
import {
  type CallSetting,
  createCallSetting,
  letPersonConfirm,
  newPost,
  SAMPLE_CALLS,
} from "../support/sample-calls.ts";

const NO_ID = crypto.randomUUID();
const api = createApi(sandboxOutbound);

interface Measured extends D1Counts {
  /** The trips to D1 and KV that waited for each other. */
  readonly path: SequentialTrips["path"];
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read arbitrary members of responses
  readonly body: any;
}

/** One request with its D1 calls counted until the response; deferred work is not counted. */
async function measure(
  caller: { readonly key: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  bindings: Partial<typeof env> = {},
): Promise<Measured> {
  const { d1, count } = countingD1(env.DB);
  const trips = new SequentialTrips();
  const ctx = createExecutionContext();
  const request = new Request(`${ORIGIN}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const far = { DB: trips.d1(d1), TOKENS: trips.of("KV", bindings.TOKENS ?? env.TOKENS) };
  const response = await api.fetch(request, { ...withSandboxCredentials(env), ...bindings, ...far }, ctx);
  const countAtResponse = { ...count, path: trips.path };
  const { status } = response;
  const measured = { ...countAtResponse, status, body: await response.json() };
  await waitOnExecutionContext(ctx);
  return measured;
}

/**
 * The D1 calls of every operation until its response, with the credential: of a credential that this isolate or another one of its
 * location remembers, and of one that the location does not know. The second number is one higher wherever the first call of the operation
 * can carry the check of the credential.
 */
const ROUND_TRIPS: Readonly<Record<string, readonly [remembered: number, unknown: number]>> = {
  listAccounts: [1, 2],
  connectAccount: [2, 3],
  disconnectAccount: [2, 3],
  syncAccounts: [5, 5],
  listPinterestBoards: [1, 2],
  listWorkspaces: [1, 2],
  createWorkspace: [1, 2],
  activateWorkspace: [1, 2],
  listPlatforms: [1, 1],
  getScheduleSlots: [1, 2],
  setScheduleSlots: [1, 2],
  listNextSlots: [1, 2],
  getLimits: [1, 2],
  importMedia: [1, 2],
  startUpload: [1, 2],
  summarizeSchedule: [1, 2],
  listPosts: [1, 2],
  previewPost: [1, 2],
  confirmPost: [1, 2],
  previewBulk: [1, 2],
  confirmBulk: [1, 2],
  previewEdit: [1, 2],
  confirmEdit: [1, 2],
  getPost: [1, 2],
  cancelPost: [1, 2],
  annotatePost: [1, 2],
  listAttempts: [1, 2],
  listDrafts: [1, 2],
  createDraft: [1, 2],
  getDraft: [1, 2],
  updateDraft: [2, 3],
  deleteDraft: [1, 2],
  previewDraft: [2, 3],
  listApprovals: [1, 2],
  getApproval: [1, 2],
  withdrawApproval: [2, 3],
  listEvents: [1, 2],
  // Where events are recorded, a call that may have one also looks for the webhooks to wake.
  getEvent: [1, 2],
  listWebhooks: [1, 2],
  createWebhook: [2, 3],
  getWebhook: [1, 2],
  updateWebhook: [2, 3],
  deleteWebhook: [2, 3],
  rotateWebhookSecret: [2, 3],
  testWebhook: [2, 3],
  listDeliveries: [1, 2],
  getDelivery: [1, 2],
  resendDelivery: [2, 3],
  replayWebhook: [2, 3],
};

/** The path of each operation for a remembered credential. */
const PATHS = new Map<string, SequentialTrips["path"]>();

let plain: CallSetting;
let withEvents: CallSetting;

beforeAll(async () => {
  plain = await createCallSetting("ada", { events: false });
  withEvents = await createCallSetting("ben", { events: true });
});

/** A key that was used a moment ago, but not here: otherwise its use would be written, which is a call of its own. */
async function keyUsedElsewhere(caller: ApiCaller): Promise<ApiCaller> {
  const other = await createAnotherKey(caller, SCOPES);
  await env.DB.prepare("UPDATE api_keys SET last_used_at = ? WHERE user_id = ?").bind(Date.now(), caller.userId).run();
  return other;
}

describe("D1 round trips until the response, including the credential", () => {
  test.for(Object.entries(SAMPLE_CALLS))("%s", async ([name, { status, needsEvents, prepare }], { expect }) => {
    const setting = needsEvents ? withEvents : plain;
    const caller = await keyUsedElsewhere(setting.caller);
    const [remembered, unknown] = ROUND_TRIPS[name] ?? [];
    const calls = [
      { knownBy: "nobody", roundTrips: unknown },
      { knownBy: "this isolate", roundTrips: remembered },
      { knownBy: "another isolate of the location", roundTrips: remembered },
    ];
    for (const { knownBy, roundTrips } of calls) {
      const { method, path, body } = await prepare(setting);
      if (knownBy.startsWith("another")) {
        await forgetInIsolate(caller);
      }
      const measured = await measure(caller, method, path, body);
      expect(measured, knownBy).toMatchObject({ status, roundTrips });
      PATHS.set(name, measured.path);
    }
  });

  test("of every operation of the document", async ({ expect }) => {
    const documented = operationsOf(await openApiDocument()).map(({ operation }) => operation.operationId);
    expect(Object.keys(SAMPLE_CALLS).toSorted()).toEqual(documented.toSorted());
  });

  test.for([
    ["a malformed credential", "alk_junk", 401, 0],
    ["an unknown credential", generateSecret(systemIds(systemClock), "api_key"), 401, 1],
  ] as const)("%s", async ([, key, status, roundTrips], { expect }) => {
    expect(await measure({ key }, "GET", "/posts")).toMatchObject({ status, roundTrips });
    expect(await measure({ key }, "GET", "/posts")).toMatchObject({ status, roundTrips });
  });

  test.for([
    ["a post that does not exist", { method: "GET", path: `/posts/${NO_ID}` }, 404],
    ["an invalid body, whose readable members are checked", { method: "POST", path: "/posts/preview", body: {} }, 400],
    ["a refused preview", { method: "POST", path: "/posts/preview", body: newPost(NO_ID) }, 400],
    ["an invalid query", { method: "GET", path: "/posts?limit=zero" }, 400],
    ["a body that is not JSON", { method: "POST", path: "/posts/confirm" }, 400],
  ] as const)("one for %s", async ([, call, status], { expect }) => {
    const { caller } = plain;
    expect(await measure(caller, call.method, call.path, "body" in call ? call.body : undefined)).toMatchObject({
      status,
      roundTrips: 1,
    });
  });

  test("one for a caller without the scope, who is never refused by what is only remembered", async ({ expect }) => {
    const caller = await createCaller({ scopes: ["accounts:read"] });
    await measure(caller, "GET", "/accounts");
    expect(await measure(caller, "GET", "/posts")).toMatchObject({ status: 403, roundTrips: 1 });
  });

  test("for a confirm that a person must approve: two at first, then one", async ({ expect }) => {
    const { accountId } = plain;
    const caller = await createAnotherKey(plain.caller, SCOPES);
    await letPersonConfirm(caller);
    await measure(caller, "GET", "/accounts");
    const token = { confirmation_token: await previewTextPost(caller, accountId) };
    expect(await measure(caller, "POST", "/posts/confirm", token)).toMatchObject({ status: 403, roundTrips: 2 });
    expect(await measure(caller, "POST", "/posts/confirm", token)).toMatchObject({ status: 403, roundTrips: 1 });
  });

  test("one beside one write of KV for a preview, one beside one read of KV for its confirm", async ({ expect }) => {
    const { caller, accountId } = plain;
    const calls: string[] = [];
    const tokens = new Proxy(env.TOKENS, {
      get:
        (target, name: "get" | "put") =>
        (key: string, ...more: never[]) => {
          calls.push(name);
          return (target[name] as (...args: unknown[]) => unknown).call(target, key, ...more);
        },
    });
    const previewed = await measure(caller, "POST", "/posts/preview", newPost(accountId), {}, { TOKENS: tokens });
    expect([previewed.roundTrips, ...calls.splice(0)]).toEqual([1, "put"]);
    const token = { confirmation_token: previewed.body.confirmation_token };
    const confirmed = await measure(caller, "POST", "/posts/confirm", token, {}, { TOKENS: tokens });
    expect([confirmed.roundTrips, ...calls]).toEqual([1, "get"]);
  });

  test("two for a preview in a slot: the slot, then what the post needs at its time", async ({ expect }) => {
    const { caller, accountId } = plain;
    await measure(caller, "PUT", "/schedule/slots", { time_zone: "UTC", slots: [{ weekday: 0, time: "09:30" }] });
    const body = { ...newPost(accountId), slot: "next" };
    expect(await measure(caller, "POST", "/posts/preview", body)).toMatchObject({ status: 200, roundTrips: 2 });
  });

  test("three for a call with an Idempotency-Key: its claim, the call, its response", async ({ expect }) => {
    const { caller, accountId } = plain;
    const headers = { "idempotency-key": "once" };
    const body = newPost(accountId);
    expect(await measure(caller, "POST", "/posts/preview", body, headers)).toMatchObject({
      status: 200,
      roundTrips: 3,
    });
    expect(await measure(caller, "POST", "/posts/preview", body, headers)).toMatchObject({
      status: 200,
      roundTrips: 1,
    });
  });
});

/** A trip and its answer, at 160 ms each way. */
const TRIP_SECONDS = 0.32;

const countOf = (path: SequentialTrips["path"], place: string): string =>
  String(path.filter((to) => to === place).length);

/** The table of the guide: the operations by the trips that they wait for. */
function distanceTable(): string {
  const rows = new Map<string, string[]>();
  for (const [name, path] of PATHS) {
    const seconds = (path.length * TRIP_SECONDS).toFixed(2);
    const row = `| ${countOf(path, "D1")} | ${countOf(path, "KV")} | ${seconds} s |`;
    rows.set(row, [...(rows.get(row) ?? []), `\`${name}\``]);
  }
  const lines = [...rows].map(([row, names]) => `${row} ${names.toSorted().join(", ")} |`);
  return lines.toSorted().join("\n");
}

describe("distances", () => {
  test("the guide has those of every operation", ({ expect }) => {
    expect([...PATHS.keys()].toSorted()).toEqual(Object.keys(SAMPLE_CALLS).toSorted());
    expect(
      guide
        .split("\n")
        .filter((line) => /^\| \d \| \d \| \d\.\d\d s \|/.test(line))
        .join("\n"),
    ).toBe(distanceTable());
  });

  test("a preview waits for the primary once, then for its token; a confirm for its token, then for the primary once", ({
    expect,
  }) => {
    for (const kind of ["Post", "Bulk", "Edit"]) {
      expect(PATHS.get(`preview${kind}`)).toEqual(["D1", "KV"]);
      expect(PATHS.get(`confirm${kind}`)).toEqual(["KV", "D1"]);
    }
  });

  test("every read waits for the primary once at most", async ({ expect }) => {
    const reads = operationsOf(await openApiDocument()).filter(({ method }) => method.toLowerCase() === "get");
    const slow = reads
      .map(({ operation }) => operation.operationId)
      .filter((name) => (PATHS.get(name)?.length ?? 9) > 1);
    expect(slow).toEqual([]);
  });
});

test("a confirm writes the same number of statements for one target and for several", async ({ expect }) => {
  const { caller, accountId } = plain;
  const otherAccounts = [...(await connectAccounts(caller, "x", "ben")), ...(await connectAccounts(caller, "threads"))];
  const confirm = async (accountIds: readonly string[]) => {
    const token = await previewTextPost(caller, accountId, { account_ids: [...new Set(accountIds)] });
    return measure(caller, "POST", "/posts/confirm", { confirmation_token: token });
  };
  const forOne = await confirm([accountId]);
  const forSeveral = await confirm([accountId, ...otherAccounts.map(({ id }) => id)]);
  expect(forSeveral.body.posts[0].targets).toHaveLength(3);
  expect(forSeveral.statements).toBe(forOne.statements);
});
