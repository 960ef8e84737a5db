import { exports } from "cloudflare:workers";
import { describe, expectTypeOf, test } from "vitest";
import {
  Almanac,
  AlmanacConnectionError,
  type AlmanacEvent,
  isAlmanacError,
  type Post,
  type RetryReason,
} from "../../../clients/typescript/src/index.ts";
import { isoInDays, connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { createWebhook } from "../../support/api-webhooks.ts";
import { type ApiCaller, createAnotherWorkspace, createCaller } from "../../support/create-caller.ts";
import { openApiDocument, operationsOf } from "../../support/openapi-document.ts";
import { ORIGIN } from "../../support/origin.ts";
import { collect, createLossyClient } from "./lossy-client.ts";

const LIST = "GET /workspaces";
const CREATE = "POST /workspaces";

const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ error: "on purpose", code, request_id: "r1" }, { status, headers });

const namesOf = async (almanac: Almanac): Promise<readonly string[]> =>
  (await almanac.listWorkspaces()).workspaces.map(({ name }) => name);

test("an address without /v1 is refused before anything is sent", ({ expect }) => {
  for (const baseUrl of [
    "https://almanac.example.org",
    "https://almanac.example.org/api/v2",
    "almanac.example.org/v1",
  ]) {
    expect(() => new Almanac({ baseUrl, token: "alk_x" })).toThrow(/ends in \/v1/);
  }
  expect(new Almanac({ baseUrl: "https://almanac.example.org/v1/", token: "alk_x" })).toBeInstanceOf(Almanac);
});

describe("the operations of the document", () => {
  test("are all methods of the client, by their names", async ({ expect }) => {
    const operations = operationsOf(await openApiDocument());
    expect(operations.length).toBeGreaterThan(30);
    const missing = operations.filter(({ operation }) => !(operation.operationId in Almanac.prototype));
    expect(missing.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  test("have the types of the document", () => {
    expectTypeOf<Almanac["getPost"]>().parameter(0).toHaveProperty("path").toEqualTypeOf<{ id: string }>();
    expectTypeOf<Awaited<ReturnType<typeof Almanac.prototype.getPost<true>>>>().toEqualTypeOf<{ post: Post }>();
    expectTypeOf<Awaited<ReturnType<typeof Almanac.prototype.createWorkspace<true>>>>().not.toBeAny();
    expectTypeOf<AlmanacEvent["type"]>().toExtend<string>();
    // @ts-expect-error -- a member that the document does not have
    expectTypeOf<Post["headline"]>().toBeNever();
  });

  test("a refusal is told apart by its code", () => {
    const error: unknown = undefined;
    if (isAlmanacError(error, "approval_required")) {
      expectTypeOf(error.approval.url).toEqualTypeOf<string>();
    }
    if (isAlmanacError(error) && error.code === "approval_declined") {
      expectTypeOf(error.approval.state).not.toBeUndefined();
    }
    // @ts-expect-error -- a code that the document does not have
    isAlmanacError(error, "out_of_cheese");
  });
});

describe("the workspace of a client", () => {
  test("is that of every call, and without one the active workspace is", async ({ expect }) => {
    const caller = await createCaller();
    const second = await createAnotherWorkspace(caller);
    const clientIn = (workspace?: string) =>
      new Almanac({
        baseUrl: `${ORIGIN}/v1`,
        token: caller.key,
        ...(workspace !== undefined && { workspace }),
        fetch: (input, init) => exports.default.fetch(new Request(input, init)),
      });
    await clientIn(second).createDraft({ body: { caption: "In the second" } });
    await clientIn().createDraft({ body: { caption: "In the active one" } });
    const captions = async (almanac: Almanac) =>
      (await almanac.listDrafts()).drafts.map(({ caption }: { caption?: unknown }) => caption);
    expect(await captions(clientIn(second))).toEqual(["In the second"]);
    expect(await captions(clientIn())).toEqual(["In the active one"]);
    const { workspaceId } = await createCaller();
    await expect(clientIn(workspaceId).listDrafts()).rejects.toMatchObject({
      code: "not_found",
      param: "Almanac-Workspace",
    });
  });
});

describe("a call is repeated", () => {
  test.for<[string, RetryReason, () => Response]>([
    ["429, after Retry-After", "rate_limited", () => refusal(429, "rate_limited", { "retry-after": "0" })],
    ["503", "unavailable", () => refusal(503, "overloaded", { "retry-after": "0" })],
    ["a gateway's 502", "connection", () => new Response("<html>", { status: 502 })],
    [
      "409 of a location that does not see a token yet",
      "token_not_visible",
      () => refusal(409, "token_not_visible_yet", { "retry-after": "0" }),
    ],
    ["409 while its key is in use", "key_in_use", () => refusal(409, "idempotency_key_in_use", { "retry-after": "0" })],
  ])("after %s, and writes once", async ([, reason, answer], { expect }) => {
    const { almanac, retries } = createLossyClient(await createCaller(), { [CREATE]: [answer(), answer()] });
    await almanac.createWorkspace({ body: { name: "Studio" } });
    expect(retries).toMatchObject([
      { reason, attempts: 1, method: "POST", path: "/workspaces" },
      { reason, attempts: 2 },
    ]);
    expect((await namesOf(almanac)).filter((name) => name === "Studio")).toHaveLength(1);
  });

  test.for([["answer lost"], ["answer cut"], ["call lost"]] as const)(
    "when its %s, with the same key, and writes once",
    async ([fate], { expect }) => {
      const { almanac, sent } = createLossyClient(await createCaller(), { [CREATE]: [fate, fate] });
      await almanac.createWorkspace({ body: { name: "Studio" } });
      const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      expect((await namesOf(almanac)).filter((name) => name === "Studio")).toHaveLength(1);
    },
  );

  test("after 500 where it changes nothing, and not where it may have written", async ({ expect }) => {
    const caller = await createCaller();
    const answer = () => refusal(500, "internal_error");
    const { almanac, sent } = createLossyClient(caller, { [LIST]: [answer()], [CREATE]: [answer()] });
    expect(await namesOf(almanac)).toHaveLength(1);
    await expect(almanac.createWorkspace({ body: { name: "Studio" } })).rejects.toMatchObject({
      code: "internal_error",
    });
    expect(sent.map(({ method }) => method)).toEqual(["GET", "GET", "POST"]);
  });

  test("as often as `maxRetries` says, and then says how often it was sent", async ({ expect }) => {
    const lost = Array.from({ length: 9 }, () => "call lost" as const);
    const { almanac, sent } = createLossyClient(await createCaller(), { [LIST]: lost }, { retry: { maxRetries: 2 } });
    const error: unknown = await almanac.listWorkspaces().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AlmanacConnectionError);
    expect(error).toMatchObject({ attempts: 3 });
    expect(sent).toHaveLength(3);
  });

  test("not when it is asked to wait longer than `maxRetryAfterSeconds`", async ({ expect }) => {
    const { almanac, sent } = createLossyClient(await createCaller(), {
      [LIST]: [refusal(429, "rate_limited", { "retry-after": "3600" })],
    });
    await expect(almanac.listWorkspaces()).rejects.toMatchObject({ code: "rate_limited", retryAfterSeconds: 3600 });
    expect(sent).toHaveLength(1);
  });

  test("not after a refusal", async ({ expect }) => {
    const { almanac, sent } = createLossyClient(await createCaller());
    const error: unknown = await almanac
      .getPost({ path: { id: crypto.randomUUID() }, headers: { "X-Request-Id": "mine-1" } })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "not_found", status: 404, requestId: "mine-1" });
    expect(sent).toHaveLength(1);
  });

  test("not once its signal is aborted, also while it waits", async ({ expect }) => {
    const controller = new AbortController();
    const { almanac, sent } = createLossyClient(
      await createCaller(),
      { [LIST]: [refusal(429, "rate_limited", { "retry-after": "30" })] },
      { onRetry: () => controller.abort(new Error("stopped")) },
    );
    await expect(almanac.listWorkspaces({ signal: controller.signal })).rejects.toThrow("stopped");
    expect(sent).toHaveLength(1);
  });

  test("when no answer comes in time", async ({ expect }) => {
    const caller = await createCaller();
    const almanac = new Almanac({
      baseUrl: `${ORIGIN}/v1`,
      token: caller.key,
      timeoutMs: 1,
      retry: { maxRetries: 1, baseDelayMs: 1 },
      fetch: async (_, init) =>
        await new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    await expect(almanac.listWorkspaces()).rejects.toThrow("no answer within 1 ms");
  });
});

describe("the token", () => {
  test("comes from a function that is asked once more with what was refused", async ({ expect }) => {
    const caller = await createCaller();
    const asked: (string | undefined)[] = [];
    const { almanac } = createLossyClient(
      caller,
      {},
      {
        token: ({ refused }) => {
          asked.push(refused);
          return refused === undefined ? "alm_expired" : caller.key;
        },
      },
    );
    expect(await namesOf(almanac)).toHaveLength(1);
    expect(asked).toEqual([undefined, "alm_expired"]);
  });

  test("that is refused twice is a refusal", async ({ expect }) => {
    const { almanac, sent } = createLossyClient(await createCaller(), {}, { token: () => "alm_expired" });
    await expect(almanac.listWorkspaces()).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
    expect(sent).toHaveLength(2);
  });
});

describe("lists", () => {
  async function schedulePosts(caller: ApiCaller, count: number): Promise<readonly string[]> {
    const account = await connectOneAccount(caller);
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const body = { caption: `Glaze ${index}`, scheduled_at: isoInDays(index + 1) };
      ids.push((await scheduleTextPost(caller, account.id, body)).id);
    }
    return ids;
  }

  test("posts are read page by page, each once, although a page is lost", async ({ expect }) => {
    const caller = await createCaller();
    const ids = await schedulePosts(caller, 5);
    const { almanac, sent } = createLossyClient(caller, { "GET /posts": ["arrives", "answer lost"] });
    const posts = await collect(almanac.posts({ limit: 2 }));
    expect(posts.map(({ id, targets }) => [id, targets.length])).toEqual(ids.map((id) => [id, 1]));
    expect(sent).toHaveLength(4);
    const summaries = await collect(almanac.postSummaries({ limit: 3 }));
    expect(summaries.map(({ id, target_count: count }) => [id, count])).toEqual(ids.map((id) => [id, 1]));
  });

  test("an iteration that is left early reads no further page", async ({ expect }) => {
    const caller = await createCaller();
    await schedulePosts(caller, 3);
    const { almanac, sent } = createLossyClient(caller);
    for await (const { caption } of almanac.posts({ limit: 1 })) {
      expect(caption).toBe("Glaze 0");
      break;
    }
    expect(sent).toHaveLength(1);
  });

  test("events are followed from the last one read on", async ({ expect }) => {
    const caller = await createCaller();
    const { id: webhookId } = await createWebhook(caller);
    await schedulePosts(caller, 3);
    const { almanac } = createLossyClient(caller);
    const events = await collect(almanac.events({ limit: 2, types: ["post.scheduled"] }));
    expect(events.map(({ type }) => type)).toEqual(["post.scheduled", "post.scheduled", "post.scheduled"]);
    expect(await collect(almanac.deliveries(webhookId, { limit: 1 }))).toBeInstanceOf(Array);
    const controller = new AbortController();
    const followed: string[] = [];
    const follow = async () => {
      for await (const { id } of almanac.events(
        { types: ["post.scheduled"] },
        { pollMs: 1, signal: controller.signal },
      )) {
        followed.push(id);
        if (followed.length === events.length) {
          controller.abort(new Error("enough"));
        }
      }
    };
    await expect(follow()).rejects.toThrow("enough");
    expect(followed).toEqual(events.map(({ id }) => id));
  });
});
