import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import { cancelPost } from "#post-status/index.ts";
import { rotateSecret, updateWebhook } from "#webhooks/index.ts";
import { createAccount, schedulePost } from "../posts/test-context.ts";
import { silenceLogs } from "../publisher/publisher-harness.ts";
import { openSender, passTime, startAtNoon } from "./sender-harness.ts";

beforeEach(() => {
  startAtNoon();
  silenceLogs();
});
afterEach(() => setFailpointHook(undefined));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `post-${index}`);

describe("what happened is told", () => {
  test("every change of a post, in its order, with the body of the API", async ({ expect }) => {
    const { ctx, receiver, run, sender } = await openSender();
    const accountIds = [await createAccount(ctx)];
    await run();
    receiver.requests.length = 0;
    const { id } = await schedulePost(ctx, { accountIds });
    await cancelPost(ctx, { id });
    await run();
    const bodies = receiver.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type }) => type)).toEqual(["post.scheduled", "post.cancelled"]);
    expect(bodies[1]).toMatchObject({
      id: receiver.requests[1]!.eventId,
      api_version: "1",
      workspace_id: ctx.actor.workspaceId,
      data: { post: { id, status: "cancelled" }, previous: { status: "scheduled" } },
    });
    expect(await sender.health()).toEqual({
      lastSuccessAt: Date.now(),
      lastFailureAt: null,
      failures: 0,
      pending: 0,
      nextTryAt: null,
    });
  });

  test("as Standard Webhooks: verified by two libraries, never followed elsewhere", async ({ expect }) => {
    const { receiver, run, emit, secret } = await openSender();
    vi.setSystemTime(Date.now());
    await emit(["a"]);
    await run();
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", redirect: "manual", url: "https://hooks.example.net/almanac" });
    expect(request!.headers).toMatchObject({ "content-type": "application/json", "user-agent": "Almanac-Webhooks/1" });
    for (const library of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
      expect(() => library.verify(request!.body, request!.headers)).not.toThrow();
      expect(() => library.verify(`${request!.body} `, request!.headers)).toThrow();
    }
  });

  test("for a day after a rotation both secrets sign, then only the new one", async ({ expect }) => {
    const { ctx, receiver, run, emit, secret, webhookId } = await openSender();
    const rotated = await rotateSecret(ctx, { id: webhookId });
    passTime(DAY - 1);
    await emit(["a"]);
    await run();
    passTime(1);
    await emit(["b"]);
    await run();
    const [before, after] = receiver.requests;
    expect(before!.headers["webhook-signature"]!.split(" ")).toHaveLength(2);
    expect(after!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    vi.setSystemTime(before!.at);
    new StandardWebhook(secret).verify(before!.body, before!.headers);
    new StandardWebhook(rotated.secret).verify(before!.body, before!.headers);
    vi.setSystemTime(after!.at);
    new StandardWebhook(rotated.secret).verify(after!.body, after!.headers);
    expect(() => new StandardWebhook(secret).verify(after!.body, after!.headers)).toThrow();
  });

  test("only of the chosen types, and not what was before the webhook was made", async ({ expect }) => {
    const first = await openSender();
    await first.emit(["early"], "post.failed");
    const { receiver, run, emit } = await openSender({ besides: first, types: ["post.failed"] });
    await emit(["a"], "post.updated");
    const [failed] = await emit(["a"], "post.failed");
    await run();
    expect(receiver.eventIds).toEqual([failed]);
  });
});

describe("order", () => {
  test("the first tries of one post leave in the order of its events, one after the other", async ({ expect }) => {
    const { receiver, run, emit } = await openSender();
    const ids = await emit(["a", "a", "a", "b"]);
    let open = 0;
    let mostOpen = 0;
    receiver.answer = async ({ eventId }) => {
      const isOfA = eventId !== ids[3];
      open += Number(isOfA);
      mostOpen = Math.max(mostOpen, open);
      await new Promise((resolve) => setTimeout(resolve));
      open -= Number(isOfA);
      return new Response(null, { status: eventId === ids[0] ? 500 : 200 });
    };
    await run();
    expect(receiver.eventIds.filter((id) => id !== ids[3])).toEqual(ids.slice(0, 3));
    expect(mostOpen).toBe(1);
  });

  test("a failed first try holds up no later event of the post", async ({ expect }) => {
    const { receiver, run, emit, ring } = await openSender();
    const ids = await emit(["a", "a"]);
    receiver.answer = ({ eventId }) => new Response(null, { status: eventId === ids[0] ? 500 : 200 });
    await run();
    expect(receiver.eventIds).toEqual(ids);
    passTime(10 * SECOND);
    receiver.answer = () => new Response();
    await ring();
    expect(receiver.eventIds).toEqual([ids[0], ids[1], ids[0]]);
  });

  test("at most six at once, of which at most three are retries", async ({ expect }) => {
    const { receiver, run, emit } = await openSender();
    const old = new Set(await emit(numbered(12)));
    receiver.answer = () => new Response(null, { status: 500 });
    await run();
    expect(receiver.mostInFlight).toBeLessThanOrEqual(6);
    passTime(HOUR);
    await emit(numbered(12).map((name) => `new-${name}`));
    receiver.mostInFlight = 0;
    let retries = 0;
    let mostRetries = 0;
    receiver.answer = async ({ eventId }) => {
      retries += Number(old.has(eventId));
      mostRetries = Math.max(mostRetries, retries);
      await new Promise((resolve) => setTimeout(resolve));
      retries -= Number(old.has(eventId));
      return new Response();
    };
    await run();
    expect(receiver.mostInFlight).toBe(6);
    expect(mostRetries).toBe(3);
    expect(new Set(receiver.eventIds).size).toBe(24);
  });

  test("more events than one reading has are all sent, each once", async ({ expect }) => {
    const { receiver, run, emit } = await openSender();
    const ids = await emit(numbered(230));
    await run();
    expect([...receiver.eventIds].toSorted()).toEqual([...ids].toSorted());
  });
});

describe("nothing is lost", () => {
  test.for(["webhook.before_store", "webhook.after_store", "webhook.before_send", "webhook.before_record"])(
    "killed at %s: the next alarm sends it",
    async (point, { expect }) => {
      const { receiver, run, emit, ring, sender, alarmAt, restart } = await openSender();
      const ids = await emit(["a", "b"]);
      setFailpointHook((reached) => {
        if (reached === point) {
          throw new Error("killed");
        }
      });
      await run();
      expect((await sender.deliveries({ status: "delivered", before: null, limit: 10 })).deliveries).toEqual([]);
      expect(await alarmAt()).not.toBeNull();
      setFailpointHook(undefined);
      await restart();
      passTime(30 * SECOND);
      await ring();
      expect([...new Set(receiver.eventIds)].toSorted()).toEqual([...ids].toSorted());
      expect(await sender.health()).toMatchObject({ pending: 0 });
    },
  );

  test("cursor and deliveries are one transaction", async ({ expect }) => {
    const { run, emit, query } = await openSender();
    await emit(["a"]);
    await run();
    const cursor = () => query<{ seq: number }>("SELECT seq FROM sender");
    const [before] = await cursor();
    await emit(["b"]);
    await query("CREATE TRIGGER broken BEFORE INSERT ON deliveries BEGIN SELECT RAISE(ABORT, 'full'); END");
    await run();
    expect(await cursor()).toEqual([before]);
    await query("DROP TRIGGER broken");
    await run();
    expect((await cursor())[0]!.seq).toBeGreaterThan(before!.seq);
  });

  test("an alarm that rings twice sends once", async ({ expect }) => {
    const { receiver, emit, sender, stub } = await openSender();
    await emit(["a"]);
    await sender.wake();
    await Promise.all([runDurableObjectAlarm(stub), runDurableObjectAlarm(stub)]);
    await runDurableObjectAlarm(stub);
    expect(receiver.requests).toHaveLength(1);
  });

  test("events that come while it sends are sent by the same alarm", async ({ expect }) => {
    const { receiver, run, emit, sender } = await openSender();
    await emit(["a"]);
    const release = Promise.withResolvers<void>();
    receiver.answer = async () => {
      await release.promise;
      return new Response();
    };
    const running = run();
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1);
    await emit(["b"]);
    await sender.wake();
    release.resolve();
    await running;
    expect(receiver.requests).toHaveLength(2);
  });

  test("a database that was put back under a clock that ran ahead: what is new below the cursor is sent", async ({
    expect,
  }) => {
    const { receiver, run, emit, ctx } = await openSender();
    const [kept, lost] = [await emit(["a"]), await emit(["b"])];
    await env.DB.prepare("UPDATE events SET seq = seq + 60000000 WHERE workspace_id = ?1 AND subject_id = 'b'")
      .bind(ctx.actor.workspaceId)
      .run();
    await run();
    expect(receiver.requests).toHaveLength(2);
    await env.DB.prepare("DELETE FROM events WHERE workspace_id = ? AND subject_id = 'b'")
      .bind(ctx.actor.workspaceId)
      .run();
    const [fresh] = await emit(["c"]);
    await run();
    expect(receiver.eventIds.slice(2)).toEqual([fresh]);
    expect(kept).not.toEqual(lost);
  });
});

describe("disabled", () => {
  test("nothing is sent; enabled again with send, what was missed is, with skip it is not", async ({ expect }) => {
    for (const missed of ["send", "skip"] as const) {
      const { ctx, receiver, run, emit, webhookId } = await openSender();
      await updateWebhook(ctx, { id: webhookId, enabled: false });
      const [during] = await emit(["a"]);
      await run();
      expect(receiver.requests).toEqual([]);
      await updateWebhook(ctx, { id: webhookId, enabled: true, missed });
      await ctx.waitForDeferred();
      const [after] = await emit(["b"]);
      await run();
      expect(new Set(receiver.eventIds)).toEqual(new Set(missed === "send" ? [during, after] : [after]));
    }
  });

  test("with skip, what waits for its next try is not sent any more", async ({ expect }) => {
    const { ctx, receiver, run, emit, webhookId, sender } = await openSender();
    await emit(["a"]);
    receiver.answer = () => new Response(null, { status: 500 });
    await run();
    await updateWebhook(ctx, { id: webhookId, enabled: false });
    await run();
    await updateWebhook(ctx, { id: webhookId, enabled: true, missed: "skip" });
    passTime(HOUR);
    await run();
    expect(receiver.requests).toHaveLength(1);
    expect(await sender.health()).toMatchObject({ pending: 0 });
  });
});
