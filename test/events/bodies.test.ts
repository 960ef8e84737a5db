import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { EVENT_TYPES, type EventType } from "#core/event-type.ts";
import { listEvents, setEventLog } from "#events/index.ts";
import { deleteExpiredPosts } from "#post-status/cleanup/delete-cancelled-posts.ts";
import { approveRequest, confirmEdit, declineRequest, previewEdit, withdrawRequest } from "#confirming/index.ts";
import { cancelPost, disconnectAccount, pausePost, resumePost } from "#post-status/index.ts";
import { writeRunResults } from "#publisher/run/store-run.ts";
import { disableWebhook } from "#webhooks/delivery/store-delivery.ts";
import { createWebhook, sendTest } from "#webhooks/index.ts";
import { EVENT_BODIES, presentEvent, presentTestEvent } from "#wire/schemas/event.ts";
import { createParties, requestPost } from "../confirming/approvals/approval-context.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  refusalOf,
  schedulePost,
  type TestContext,
  updateAccountRow,
} from "../posts/test-context.ts";
import { assertMatchesWebhook } from "../support/openapi-conformance.ts";
import { ORIGIN } from "../support/origin.ts";

beforeEach(() => freezeClock());

type Body = { readonly type: string; readonly data: Record<string, unknown> };

/** The bodies of everything that the workspace has recorded, each compared with its schema and with the document. */
async function bodiesOf(ctx: TestContext): Promise<readonly Body[]> {
  const { events } = await listEvents(ctx, { after: 0, types: null, limit: 100 });
  const bodies = events.map((event) => presentEvent(ctx, event) as Body);
  await Promise.all(bodies.map(checkBody));
  return bodies;
}

async function checkBody(body: Body): Promise<void> {
  // Parsing drops what the schema does not name.
  expect(EVENT_BODIES[body.type as EventType].parse(body)).toEqual(body);
  await assertMatchesWebhook(body);
}

const typesOf = (bodies: readonly Body[]) => bodies.map(({ type }) => type);

async function startRecording(ctx: TestContext): Promise<void> {
  await setEventLog(ctx, { isSwitchedOn: true });
}

async function changePost(ctx: TestContext): Promise<void> {
  const { id } = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
  await pausePost(ctx, { id });
  await resumePost(ctx, { id });
  const { confirmationToken } = await previewEdit(ctx, { postIds: [id], caption: "Changed" });
  await confirmEdit(ctx, { confirmationToken });
  await cancelPost(ctx, { id });
}

type TargetEnd = "published" | "failed" | "unconfirmed";

/** Ends a run as the publisher does. */
async function endRun(ctx: TestContext, status: string, ends: readonly TargetEnd[]): Promise<void> {
  const accounts = await Promise.all(ends.map(() => createAccount(ctx)));
  const { id } = await schedulePost(ctx, { accountIds: accounts });
  await env.DB.prepare("UPDATE posts SET status = 'publishing', run_id = 'run' WHERE id = ?").bind(id).run();
  const error = {
    kind: "rejected",
    code: "content_refused",
    category: "content",
    message: "refused",
    platformCode: "1",
    httpStatus: 400,
    retryable: false,
    whoMustAct: "user",
  };
  const targets = ends.map((state, index) => ({
    accountId: accounts[index],
    state,
    attempts: 1,
    startedAt: NOON,
    publishedAt: state === "published" ? NOON : null,
    wakeAt: null,
    remoteId: state === "published" ? "1" : null,
    remoteUrl: null,
    error: state === "published" ? null : error,
    progress: null,
    history: [],
    acceptedAt: null,
  }));
  await writeRunResults(ctx.db, { postId: id, runId: "run", now: NOON, targets, status } as never);
}

async function changeAccount(ctx: TestContext): Promise<void> {
  const id = await createAccount(ctx);
  await updateAccountRow(id, { status: "needs_reconnect", status_reason: "Expired." });
  await updateAccountRow(id, { status: "active", status_reason: null });
  await env.DB.prepare(
    "UPDATE connections SET end_announced = 5 WHERE id = (SELECT connection_id FROM accounts WHERE id = ?)",
  )
    .bind(id)
    .run();
  await disconnectAccount(ctx, { accountId: id });
}

/** One approval that ends in each way. */
async function decideApprovals(): Promise<TestContext> {
  const parties = await createParties();
  const { agent, person } = parties;
  await startRecording(agent);
  const [x, lost] = [await createAccount(agent), await createAccount(agent)];
  const request = (accountId = x) => requestPost(parties, { accountIds: [accountId], caption: crypto.randomUUID() });
  await approveRequest(person, await request());
  await declineRequest(person, { ...(await request()), note: "Not today." });
  await withdrawRequest(agent, await request());
  const stale = await request(lost);
  await disconnectAccount(agent, { accountId: lost });
  await refusalOf(approveRequest(person, stale));
  await request();
  freezeClock(NOON + 8 * DAY);
  await deleteExpiredPosts(agent);
  return agent;
}

describe("the body of an event matches its schema and the document, for", () => {
  const seen = new Set<string>();
  const expectTypes = (bodies: readonly Body[], types: readonly EventType[]) => {
    expect(typesOf(bodies)).toEqual(expect.arrayContaining([...types]));
    for (const type of typesOf(bodies)) {
      seen.add(type);
    }
  };

  test("every change of a post, which always has the post", async () => {
    const ctx = createTestContext();
    await startRecording(ctx);
    await changePost(ctx);
    const bodies = await bodiesOf(ctx);
    expectTypes(bodies, ["post.scheduled", "post.paused", "post.resumed", "post.updated", "post.cancelled"]);
    for (const { data } of bodies.filter(({ type }) => type.startsWith("post."))) {
      expect(data).toHaveProperty("post.targets");
    }
  });

  test("every end of a post and its targets, which always have both", async () => {
    const ctx = createTestContext();
    await startRecording(ctx);
    await endRun(ctx, "published", ["published"]);
    await endRun(ctx, "partially_failed", ["published", "unconfirmed"]);
    await endRun(ctx, "failed", ["failed"]);
    const bodies = await bodiesOf(ctx);
    expectTypes(bodies, ["post.published", "post.partially_failed", "post.failed"]);
    expectTypes(bodies, ["target.published", "target.failed", "target.unconfirmed"]);
    for (const { data } of bodies.filter(({ type }) => type.startsWith("target."))) {
      expect(data).toMatchObject({ post: { id: expect.any(String) }, target: { account_id: expect.any(String) } });
    }
  });

  test("every change of an account", async () => {
    const ctx = createTestContext();
    await startRecording(ctx);
    await changeAccount(ctx);
    const bodies = await bodiesOf(ctx);
    expectTypes(bodies, ["account.connected", "account.needs_reconnect", "account.expires_soon"]);
    expectTypes(bodies, ["account.disconnected"]);
  });

  test("every end of an approval", async () => {
    const bodies = await bodiesOf(await decideApprovals());
    expectTypes(bodies, ["approval.requested", "approval.approved", "approval.declined", "approval.withdrawn"]);
    expectTypes(bodies, ["approval.stale", "approval.expired"]);
  });

  test("a webhook that the service gives up, and a test", async () => {
    const ctx = createTestContext();
    for (const reason of ["gone", "failing"] as const) {
      const { webhook } = await createWebhook(ctx, { url: "https://hooks.example.net/", types: ["*"] });
      expect(await disableWebhook(ctx.db, webhook.id, reason, NOON + MINUTE)).toBe(true);
    }
    expectTypes(await bodiesOf(ctx), ["webhook.disabled"]);
    const sandbox = { ...ctx, outbound: { ...ctx.outbound, trustedMediaOrigin: ORIGIN } };
    const { webhook } = await createWebhook(sandbox, { url: `${ORIGIN}/sandbox/receivers/bodies`, types: ["*"] });
    const bodies: Body[] = [];
    const toBody: Parameters<typeof sendTest>[1]["toBody"] = (event) => {
      bodies.push(presentTestEvent(event));
      return JSON.stringify(bodies[0]);
    };
    expect(await sendTest(ctx, { id: webhook.id, toBody })).toMatchObject({ status: 200 });
    await Promise.all(bodies.map(checkBody));
    expectTypes(bodies, ["webhook.test"]);
  });

  test("so that every type has been seen", () => {
    expect([...seen].toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });
});

test("a body with a member that no schema names would be noticed", async () => {
  const ctx = createTestContext();
  await startRecording(ctx);
  await createAccount(ctx);
  const [body] = await bodiesOf(ctx);
  const planted = { ...body, data: { ...body?.data, planted: 1 } } as Body;
  expect(EVENT_BODIES["account.connected"].parse(planted)).not.toEqual(planted);
  await expect(assertMatchesWebhook(planted)).rejects.toThrow(/planted/);
  const ofOtherType = { ...body, type: "post.scheduled" } as Body;
  expect(EVENT_BODIES["post.scheduled"].safeParse(ofOtherType).success).toBe(false);
  await expect(assertMatchesWebhook(ofOtherType)).rejects.toThrow(/account/);
});
