import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../../support/create-caller.ts";

const SLOTS = {
  time_zone: "Europe/Berlin",
  slots: [
    { weekday: 1, time: "09:30" },
    { weekday: 3, time: "18:00" },
  ],
};

const put = (caller: ApiCaller, body: unknown) => callApi(caller, { method: "PUT", path: "/schedule/slots", body });
const read = (caller: ApiCaller) => callApi(caller, { method: "GET", path: "/schedule/slots" });

async function nextSlots(caller: ApiCaller, count: number): Promise<string[]> {
  const { body } = await callApi(caller, { method: "GET", path: `/schedule/next-slots?count=${count}` });
  return body.next_slots.map((slot: { scheduled_at: string }) => slot.scheduled_at);
}

/** Far from now, so that none passes while a test runs. */
const farTime = new Date(Date.now() + DAY / 2).toISOString().slice(11, 16);
const everyDay = {
  time_zone: "UTC",
  slots: [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: farTime })),
};

const later = (instant: string | undefined, ms: number) => new Date(Date.parse(instant ?? "") + ms).toISOString();

describe("GET and PUT /schedule/slots", () => {
  test("none in the user's time zone until they are set", async ({ expect }) => {
    expect(await read(await createCaller())).toMatchObject({ status: 200, body: { time_zone: "UTC", slots: [] } });
  });

  test("what is set is read, in the order of the week and each slot once", async ({ expect }) => {
    const caller = await createCaller();
    const [tuesday, thursday] = SLOTS.slots;
    const response = await put(caller, { ...SLOTS, slots: [thursday, tuesday, thursday] });
    expect(response).toMatchObject({ status: 200, body: SLOTS });
    expect((await read(caller)).body).toMatchObject(SLOTS);
  });

  test("setting replaces all, and an empty list removes them", async ({ expect }) => {
    const caller = await createCaller();
    await put(caller, SLOTS);
    await put(caller, { time_zone: "Asia/Kolkata", slots: [{ weekday: 6, time: "23:59" }] });
    expect((await read(caller)).body.slots).toEqual([{ weekday: 6, time: "23:59" }]);
    await put(caller, { time_zone: "Asia/Kolkata", slots: [] });
    expect((await read(caller)).body).toMatchObject({ time_zone: "Asia/Kolkata", slots: [] });
  });

  test("they belong to the workspace, and the same ones are not written again", async ({ expect }) => {
    const [one, other] = [await createCaller(), await createCaller()];
    const updatedAt = () =>
      env.DB.prepare("SELECT updated_at FROM schedule_slots WHERE workspace_id = ?")
        .bind(one.workspaceId)
        .first<number>("updated_at");
    await put(one, SLOTS);
    expect((await read(other)).body.slots).toEqual([]);
    await env.DB.prepare("UPDATE schedule_slots SET updated_at = 1 WHERE workspace_id = ?").bind(one.workspaceId).run();
    await put(one, SLOTS);
    expect(await updatedAt()).toBe(1);
    await put(one, { ...SLOTS, time_zone: "UTC" });
    expect(await updatedAt()).toBeGreaterThan(1);
  });

  test("100 slots are taken and 101 refused", async ({ expect }) => {
    const caller = await createCaller();
    const slots = Array.from({ length: 101 }, (_, index) => ({
      weekday: index % 7,
      time: `10:${String(Math.floor(index / 7)).padStart(2, "0")}`,
    }));
    expect((await put(caller, { time_zone: "UTC", slots: slots.slice(0, 100) })).body.slots).toHaveLength(100);
    expect(await put(caller, { time_zone: "UTC", slots })).toMatchObject({ status: 400, body: { param: "slots" } });
  });

  test.for([
    ["slots[0].time", "invalid_format", { weekday: 1, time: "24:00" }],
    ["slots[0].time", "invalid_format", { weekday: 1, time: "9:30" }],
    ["slots[0].time", "invalid_format", { weekday: 1, time: "09:30:00" }],
    ["slots[0].weekday", "out_of_range", { weekday: 7, time: "09:30" }],
    ["slots[0].weekday", "out_of_range", { weekday: -1, time: "09:30" }],
  ] as const)("400 for %s: %s", async ([param, code, slot], { expect }) => {
    const response = await put(await createCaller(), { time_zone: "UTC", slots: [slot] });
    expect(response).toMatchObject({ status: 400, body: { param, details: [{ code, param }] } });
  });

  test.for(["Mars/Olympus", "", "+02:00"])("400 for the time zone %j", async (timeZone, { expect }) => {
    const response = await put(await createCaller(), { ...SLOTS, time_zone: timeZone });
    expect(response).toMatchObject({ status: 400, body: { details: [{ code: "invalid_value", param: "time_zone" }] } });
  });

  test("reading needs posts:read, setting posts:write", async ({ expect }) => {
    const caller = await createCaller();
    const reader = await createAnotherKey(caller, ["posts:read"]);
    expect((await read(reader)).status).toBe(200);
    expect(await put(reader, SLOTS)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    const writer = await createAnotherKey(caller, ["posts:write"]);
    expect((await put(writer, SLOTS)).status).toBe(200);
    expect(await read(writer)).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    const next = await callApi(writer, { method: "GET", path: "/schedule/next-slots" });
    expect(next).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });
});

describe("GET /schedule/next-slots", () => {
  test("the next ones with what the clock shows; none without slots", async ({ expect }) => {
    const caller = await createCaller();
    expect(await nextSlots(caller, 5)).toEqual([]);
    await put(caller, { time_zone: "Asia/Kolkata", slots: [{ weekday: 2, time: "09:30" }] });
    const { body } = await callApi(caller, { method: "GET", path: "/schedule/next-slots?count=2" });
    expect(body.time_zone).toBe("Asia/Kolkata");
    expect(body.next_slots).toHaveLength(2);
    for (const { scheduled_at: at, local_time: clock } of body.next_slots) {
      expect(at).toMatch(/T04:00:00\.000Z$/);
      expect(clock).toBe(`${at.slice(0, 10)}T09:30`);
      expect(new Date(at).getUTCDay()).toBe(3);
    }
  });

  test("a slot is taken by a post in its minute, until the post is cancelled or moved", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    await put(caller, everyDay);
    const [, first, second, third] = await nextSlots(caller, 4);
    const inMinute = await scheduleTextPost(caller, account.id, { scheduled_at: later(first, MINUTE - 1000) });
    await scheduleTextPost(caller, account.id, { scheduled_at: later(second, MINUTE) });
    await scheduleTextPost(caller, account.id, { scheduled_at: later(third, -1000) });
    const free = await nextSlots(caller, 3);
    expect(free).not.toContain(first);
    expect(free.slice(1)).toEqual([second, third]);
    const cancelled = await callApi(caller, {
      method: "DELETE",
      path: `/posts/${inMinute.id}`,
      body: { confirm: true },
    });
    expect(cancelled.status).toBe(200);
    expect(await nextSlots(caller, 3)).toContain(first);
  });

  test("a post of another workspace takes none", async ({ expect }) => {
    const [caller, other] = [await createCaller(), await createCaller()];
    const account = await connectOneAccount(other);
    await put(caller, everyDay);
    const before = await nextSlots(caller, 3);
    await scheduleTextPost(other, account.id, { scheduled_at: before[1] ?? "" });
    expect((await nextSlots(caller, 3)).slice(1)).toEqual(before.slice(1));
  });

  test("looks past many taken ones, and ends with the year in which posts can be scheduled", async ({ expect }) => {
    const caller = await createCaller();
    await put(caller, everyDay);
    const all = [...(await nextSlots(caller, 100))];
    await env.DB.batch(
      all.slice(2, 90).map((at) =>
        env.DB.prepare(
          `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms,
               plan_hash, confirm_hash, created_via, created_at, updated_at)
             VALUES (?1, ?2, ?3, 'paused', ?4, 1, 'text', '', '[]', '[]', '', ?1, 'api', 1, 1)`,
        ).bind(crypto.randomUUID(), caller.workspaceId, caller.userId, Date.parse(at)),
      ),
    );
    const free = await nextSlots(caller, 5);
    expect(free.slice(-3)).toEqual(all.slice(90, 93));
    await put(caller, { time_zone: "UTC", slots: [{ weekday: 0, time: farTime }] });
    const mondays = await nextSlots(caller, 100);
    expect(mondays.length).toBeGreaterThan(30);
    expect(mondays.length).toBeLessThan(54);
    expect(Date.parse(mondays.at(-1) ?? "")).toBeLessThanOrEqual(Date.now() + 365 * DAY);
  });

  test("looks past 600 posts between the slots, and past taken slots after them", async ({ expect }) => {
    const caller = await createCaller();
    await put(caller, everyDay);
    const all = await nextSlots(caller, 100);
    const between = Array.from({ length: 600 }, (_, index) => Date.parse(all[1] ?? "") + (index + 1) * MINUTE);
    const taken = all.slice(2, 90).map((at) => Date.parse(at));
    await env.DB.prepare(
      `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms,
         plan_hash, confirm_hash, created_via, created_at, updated_at)
       SELECT value ->> 'id', ?1, ?2, iif(key % 2, 'paused', 'scheduled'), value ->> 'at', 1, 'text', '', '[]', '[]', '',
         value ->> 'id', 'api', 1, 1 FROM json_each(?3)`,
    )
      .bind(
        caller.workspaceId,
        caller.userId,
        JSON.stringify([...between, ...taken].map((at) => ({ id: crypto.randomUUID(), at }))),
      )
      .run();
    expect(await nextSlots(caller, 5)).toEqual([...all.slice(0, 2), ...all.slice(90, 93)]);
  });

  test.for(["0", "101", "1.5", "x", ""])("400 for count=%s", async (count, { expect }) => {
    const response = await callApi(await createCaller(), {
      method: "GET",
      path: `/schedule/next-slots?count=${count}`,
    });
    expect(response).toMatchObject({ status: 400, body: { details: [{ code: "out_of_range", param: "count" }] } });
  });
});
