import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createServices } from "#context.ts";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { approveRequest } from "#confirming/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

/** Far from now, so that none passes while a test runs. */
const time = new Date(Date.now() + DAY / 2).toISOString().slice(11, 16);
const EVERY_DAY = { time_zone: "UTC", slots: [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time })) };
const FIRST = `${new Date(Date.now() + 10 * DAY).toISOString().slice(0, 10)}T${time}:00.000Z`;
const later = (ms: number) => new Date(Date.parse(FIRST) + ms).toISOString();

const send = (caller: ApiCaller, method: string, path: string, body?: unknown) =>
  callApi(caller, { method, path, ...(body !== undefined && { body }) });

async function createScene(slots: unknown = EVERY_DAY) {
  const caller = await createCaller();
  const { id: accountId } = await connectOneAccount(caller);
  await send(caller, "PUT", "/schedule/slots", slots);
  const preview = (body: object = {}) =>
    send(caller, "POST", "/posts/preview", {
      caption: `Hello ${crypto.randomUUID()}`,
      scheduled_at: FIRST,
      slot: "next",
      account_ids: [accountId],
      ...body,
    });
  const tokenOf = async (body?: object): Promise<string> => (await preview(body)).body.confirmation_token;
  const confirm = (token: string) => send(caller, "POST", "/posts/confirm", { confirmation_token: token });
  const editPreview = (id: string, body: object = {}) =>
    send(caller, "POST", "/posts/edit/preview", { post_ids: [id], scheduled_at: FIRST, slot: "next", ...body });
  const editConfirm = (token: string) => send(caller, "POST", "/posts/edit/confirm", { confirmation_token: token });
  const cancel = (id: string) => send(caller, "DELETE", `/posts/${id}`, { confirm: true });
  const times = async (): Promise<string[]> => {
    const { body } = await send(caller, "GET", "/posts?limit=100");
    return body.posts.map((post: { scheduled_at: string }) => post.scheduled_at).toSorted();
  };
  return { caller, accountId, preview, tokenOf, confirm, editPreview, editConfirm, cancel, times };
}

const TAKEN = { status: 400, body: { code: "slot_taken", details: [{ code: "slot_taken", actual: FIRST }] } };

describe("a preview with slot", () => {
  test("is at the first free slot at or after scheduled_at, or from now on", async ({ expect }) => {
    const { preview, caller } = await createScene();
    expect((await preview()).body.preview.scheduled_at).toBe(FIRST);
    expect((await preview({ scheduled_at: later(1) })).body.preview.scheduled_at).toBe(later(DAY));
    expect((await preview({ scheduled_at: later(-HOUR) })).body.preview.scheduled_at).toBe(FIRST);
    const { body } = await send(caller, "GET", "/schedule/next-slots?count=1");
    const past = await preview({ scheduled_at: "2020-01-01T00:00:00Z" });
    expect(past.body.preview.scheduled_at).toBe(body.next_slots[0].scheduled_at);
    expect((await preview({ slot: null })).body.preview.scheduled_at).toBe(FIRST);
  });

  test("reserves nothing: the second of two confirms writes nothing and names the next slot", async ({ expect }) => {
    const { preview, tokenOf, confirm, times } = await createScene();
    const [one, other] = [await tokenOf(), await tokenOf()];
    expect((await confirm(one)).body.posts).toMatchObject([{ scheduled_at: FIRST }]);
    const refused = await confirm(other);
    expect(refused).toMatchObject(TAKEN);
    expect(refused.body.error).toContain(`the next free one is ${later(DAY)}`);
    expect(await times()).toEqual([FIRST]);
    expect(await confirm(one)).toMatchObject({ status: 400, body: { code: "token_already_used" } });
    expect((await preview()).body.preview.scheduled_at).toBe(later(DAY));
  });

  test("20 confirms at once make one post, and each again the next", async ({ expect }) => {
    const { tokenOf, confirm, times } = await createScene();
    for (const round of [1, 2]) {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf()));
      const codes = (await Promise.all(tokens.map(confirm))).map(({ status, body }) => String(body.code ?? status));
      expect(codes.toSorted((a, b) => a.localeCompare(b))).toEqual([
        "200",
        ...Array.from({ length: 19 }, () => "slot_taken"),
      ]);
      expect(await times()).toHaveLength(round);
    }
    expect(await times()).toEqual([FIRST, later(DAY)]);
  });

  test("20 confirms of one token at once make one post", async ({ expect }) => {
    const { tokenOf, confirm, times } = await createScene();
    const token = await tokenOf();
    const codes = (await Promise.all(Array.from({ length: 20 }, () => confirm(token)))).map(({ status, body }) =>
      String(body.code ?? status),
    );
    expect(codes.toSorted((a, b) => a.localeCompare(b))).toEqual([
      "200",
      ...Array.from({ length: 19 }, () => "token_already_used"),
    ]);
    expect(await times()).toEqual([FIRST]);
  });

  test("a post with a time of its own takes a slot, is not kept from one, and gives it back", async ({ expect }) => {
    const { caller, accountId, preview, tokenOf, confirm, cancel, times } = await createScene();
    const token = await tokenOf();
    const { id } = await scheduleTextPost(caller, accountId, { scheduled_at: later(MINUTE - 1) });
    expect(await confirm(token)).toMatchObject(TAKEN);
    await scheduleTextPost(caller, accountId, { caption: "Another", scheduled_at: later(0) });
    expect(await times()).toEqual([FIRST, later(MINUTE - 1)]);
    expect((await preview()).body.preview.scheduled_at).toBe(later(DAY));
    await cancel(id);
    expect(await confirm(token)).toMatchObject(TAKEN);
    const [first] = (await send(caller, "GET", "/posts")).body.posts;
    await cancel(first.id);
    expect((await confirm(token)).body.posts).toMatchObject([{ scheduled_at: FIRST }]);
  });

  test.for(["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"])(
    "in %s each slot of a year is found from the one before, on both sides of the changes of the clock",
    async (timeZone, { expect }) => {
      const { caller, preview } = await createScene({
        time_zone: timeZone,
        slots: [0, 2, 6].map((weekday) => ({ weekday, time: "02:15" })),
      });
      const { body } = await send(caller, "GET", "/schedule/next-slots?count=100");
      const all: string[] = body.next_slots.map((slot: { scheduled_at: string }) => slot.scheduled_at);
      for (const index of [10, 56, 80]) {
        const scheduledAt = new Date(Date.parse(all[index] ?? "") + 1).toISOString();
        expect((await preview({ scheduled_at: scheduledAt })).body.preview.scheduled_at).toBe(all[index + 1]);
      }
    },
  );

  test("is refused without slots, without a free one, and with another word", async ({ expect }) => {
    const { preview } = await createScene({ time_zone: "UTC", slots: [] });
    expect(await preview()).toMatchObject({
      status: 400,
      body: { details: [{ code: "no_free_slot", param: "slot" }] },
    });
    const full = await createScene({ time_zone: "UTC", slots: [{ weekday: 0, time }] });
    const late = await full.preview({ scheduled_at: new Date(Date.now() + 366 * DAY).toISOString() });
    expect(late.body.details).toMatchObject([{ code: "no_free_slot" }]);
    expect((await preview({ slot: "first" })).body.details).toMatchObject([{ code: "invalid_value", param: "slot" }]);
  });

  test("a time that comes twice needs no warning: the slot is at another", async ({ expect }) => {
    const { preview } = await createScene();
    const { body } = await preview({ time_zone: "Europe/Berlin", scheduled_at: FIRST });
    expect(body.preview.warnings).toEqual([]);
  });

  test("of a draft is that of a post", async ({ expect }) => {
    const { caller, accountId, confirm } = await createScene();
    const content = { caption: "Draft", account_ids: [accountId], scheduled_at: FIRST, slot: "next" };
    const { draft } = (await send(caller, "POST", "/drafts", content)).body;
    expect(draft).toMatchObject({ content, problems: [] });
    const tokens = [];
    for (const _ of [1, 2]) {
      tokens.push((await send(caller, "POST", `/drafts/${draft.id}/preview`, {})).body.confirmation_token);
    }
    expect((await confirm(tokens[0])).status).toBe(200);
    expect(await confirm(tokens[1])).toMatchObject(TAKEN);
  });
});

describe("an edit with slot", () => {
  test("moves one post to the first free slot, for which its own is free", async ({ expect }) => {
    const { caller, accountId, editPreview, editConfirm, times } = await createScene();
    const [one, other] = [
      await scheduleTextPost(caller, accountId, { scheduled_at: FIRST }),
      await scheduleTextPost(caller, accountId, { caption: "Other", scheduled_at: later(5 * DAY) }),
    ];
    const own = await editPreview(one.id);
    expect(own.body.details).toMatchObject([{ code: "no_changes" }]);
    const moved = await editPreview(other.id);
    expect(moved.body.preview.posts).toMatchObject([{ after: { scheduled_at: later(DAY) } }]);
    expect((await editConfirm(moved.body.confirmation_token)).body.posts).toMatchObject([
      { scheduled_at: later(DAY), version: 2 },
    ]);
    expect(await times()).toEqual([FIRST, later(DAY)]);
  });

  test("writes nothing when the slot was taken meanwhile, by a post or by another edit", async ({ expect }) => {
    const { caller, accountId, tokenOf, confirm, editPreview, editConfirm, times } = await createScene();
    const posts = await Promise.all(
      [5, 6].map((days) =>
        scheduleTextPost(caller, accountId, { caption: `Post ${days}`, scheduled_at: later(days * DAY) }),
      ),
    );
    const tokens: string[] = [];
    for (const { id } of posts) {
      tokens.push((await editPreview(id)).body.confirmation_token);
    }
    const scheduling = await tokenOf();
    expect((await editConfirm(tokens[0] ?? "")).status).toBe(200);
    expect(await editConfirm(tokens[1] ?? "")).toMatchObject(TAKEN);
    expect(await confirm(scheduling)).toMatchObject(TAKEN);
    expect(await times()).toEqual([FIRST, later(6 * DAY)]);
    const away = await editPreview(posts[0]?.id ?? "", { scheduled_at: later(20 * DAY) });
    expect((await editConfirm(away.body.confirmation_token)).status).toBe(200);
    expect((await editConfirm(tokens[1] ?? "")).body.posts).toMatchObject([{ scheduled_at: FIRST }]);
  });

  test("is for one post and needs a time", async ({ expect }) => {
    const { editPreview } = await createScene();
    const id = crypto.randomUUID();
    const without = await editPreview(id, { scheduled_at: null });
    expect(without.body.details).toMatchObject([{ code: "scheduled_at_required", param: "scheduled_at" }]);
    const two = await editPreview(id, { post_ids: [id, crypto.randomUUID()] });
    expect(two.body.details).toMatchObject([{ code: "invalid_value", param: "slot" }]);
    const wrong = await editPreview(id, { scheduled_at: "tomorrow" });
    expect(wrong.body.details.map(({ code }: { code: string }) => code)).toEqual(["invalid_format", "post_not_found"]);
  });
});

describe("an approval with a slot", () => {
  async function request() {
    const scene = await createScene();
    const { caller } = scene;
    const person = {
      ...createServices(withSandboxCredentials(env), sandboxOutbound(env), () => {}),
      actor: {
        userId: caller.userId,
        workspaceId: caller.workspaceId,
        plan: "scale" as const,
        limits: PLAN_LIMITS.scale,
        subscribed: true,
        scopes: SCOPES,
        credential: { kind: "session", id: "session" } as const,
        via: "dashboard" as const,
        timeZone: "UTC",
        recordsEvents: false,
        workspaceFrom: "user" as const,
        isTrial: false,
      },
    };
    const needs = (who: "person" | "self") =>
      env.DB.prepare("UPDATE api_keys SET confirms = ? WHERE user_id = ?").bind(who, caller.userId).run();
    const direct = await scene.tokenOf();
    await needs("person");
    const { id } = (await scene.confirm(await scene.tokenOf())).body.approval;
    const { plan_hash: planHash } = (await send(caller, "GET", `/approvals/${id}`)).body.approval;
    await needs("self");
    return { ...scene, direct, id, approve: () => approveRequest(person, { id, planHash }) };
  }

  test("is written while the slot is free", async ({ expect }) => {
    const { approve, times, direct, confirm } = await request();
    await approve();
    expect(await times()).toEqual([FIRST]);
    expect(await confirm(direct)).toMatchObject(TAKEN);
  });

  test("is stale when the slot went meanwhile", async ({ expect }) => {
    const { caller, approve, times, direct, confirm, id } = await request();
    expect((await confirm(direct)).status).toBe(200);
    await expect(approve()).rejects.toMatchObject({ refusal: { code: "approval_stale" } });
    expect((await send(caller, "GET", `/approvals/${id}`)).body.approval).toMatchObject({
      state: "stale",
      details: [{ code: "slot_taken", actual: FIRST }],
    });
    expect(await times()).toEqual([FIRST]);
  });

  test("and a confirm at the same moment make one post", async ({ expect }) => {
    const { approve, times, direct, confirm } = await request();
    await Promise.allSettled([approve(), confirm(direct)]);
    expect(await times()).toEqual([FIRST]);
  });
});

describe("many posts with slots", () => {
  const bulk = async (scene: Awaited<ReturnType<typeof createScene>>, posts: readonly object[], body: object = {}) =>
    await send(scene.caller, "POST", "/posts/bulk/preview", {
      posts: posts.map((post, index) => ({
        caption: `Post ${index}`,
        account_ids: [scene.accountId],
        scheduled_at: FIRST,
        ...post,
      })),
      ...body,
    });

  test("see each other, and are all written or none", async ({ expect }) => {
    const scene = await createScene();
    const rows = [{ slot: "next" }, { scheduled_at: later(DAY) }, { slot: "next" }, { slot: "next" }];
    const first = await bulk(scene, rows);
    expect(
      first.body.preview.posts.map(({ preview }: { preview: { scheduled_at: string } }) => preview.scheduled_at),
    ).toEqual([FIRST, later(DAY), later(2 * DAY), later(3 * DAY)]);
    const single = await scene.tokenOf({ scheduled_at: later(2 * DAY) });
    expect((await scene.confirm(single)).status).toBe(200);
    const confirm = (token: string) => send(scene.caller, "POST", "/posts/bulk/confirm", { confirmation_token: token });
    const refused = await confirm(first.body.confirmation_token);
    expect(refused).toMatchObject({ status: 400, body: { code: "slot_taken", details: [{ actual: later(2 * DAY) }] } });
    expect(await scene.times()).toHaveLength(1);
    const second = await bulk(scene, rows);
    expect((await confirm(second.body.confirmation_token)).status).toBe(200);
    expect(await scene.times()).toEqual([0, 1, 2, 3, 4].map((days) => later(days * DAY)));
  });

  test("of a table have a column for them", async ({ expect }) => {
    const scene = await createScene();
    const table = (slot: string) =>
      `caption,scheduled_at,time_zone,slot,account_ids\nOne,${FIRST.slice(0, 10)}T00:00,UTC,${slot},${scene.accountId}\nTwo,${FIRST},, NEXT ,${scene.accountId}\nThree,${later(MINUTE)},,,${scene.accountId}\n`;
    const preview = (csv: string) =>
      callApi(scene.caller, {
        method: "POST",
        path: "/posts/bulk/preview",
        body: csv,
        headers: { "content-type": "text/csv" },
      });
    const { body } = await preview(table("next"));
    const times = body.preview.posts.map(
      ({ preview: post }: { preview: { scheduled_at: string } }) => post.scheduled_at,
    );
    expect(times).toEqual([FIRST, later(DAY), later(MINUTE)]);
    expect((await preview(table("soon"))).body.details).toMatchObject([
      { code: "invalid_value", param: "slot", row: 1 },
    ]);
  });

  test("a row without a free slot is named, or left out", async ({ expect }) => {
    const scene = await createScene({ time_zone: "UTC", slots: [] });
    const rows = [{}, { slot: "next" }];
    const refused = await bulk(scene, rows);
    expect(refused.body.details).toMatchObject([{ code: "no_free_slot", param: "slot", row: 2 }]);
    const skipped = await bulk(scene, rows, { skip_invalid: true });
    expect(skipped.body.preview.posts).toMatchObject([
      { row: 1, problems: [] },
      { row: 2, problems: [{ code: "no_free_slot" }] },
    ]);
  });
});
