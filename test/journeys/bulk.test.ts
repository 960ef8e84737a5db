import { afterEach, describe, test, vi } from "vitest";
import { setFailpointHook } from "#core/failpoint.ts";
import { MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";
import { nextAlarm, publishedPosts, runAlarmsUntilIdle, runCron, useJourneyClock } from "./journey-driver.ts";

/* Many posts of one confirm, through the service. */

useJourneyClock("2039-01-01T09:00:00Z");
afterEach(() => setFailpointHook(undefined));

/** More than a request arms itself. */
const COUNT = 60;

describe("sixty posts of one confirm", () => {
  test(
    "are all published, each once, although the process ended before it armed one",
    { timeout: 60_000 },
    async ({ expect }) => {
      const caller = await createCaller();
      const { id } = await connectOneAccount(caller);
      const dueAt = Math.ceil(Date.now() / MINUTE) * MINUTE + 10 * MINUTE;
      const posts = Array.from({ length: COUNT }, (_, index) => ({
        caption: `One of many, ${index}`,
        scheduled_at: toIsoInstant(dueAt),
        account_ids: [id],
      }));
      const send = async (path: string, body: object) => (await callApi(caller, { method: "POST", path, body })).body;
      const { confirmation_token } = await send("/posts/bulk/preview", { posts });
      const passed: string[] = [];
      setFailpointHook((point) => {
        passed.push(point);
        return point.startsWith("arm.") ? Promise.reject(new Error("the process ended")) : undefined;
      });
      const { posts: confirmed }: { posts: { id: string; scheduled_at: string }[] } = await send(
        "/posts/bulk/confirm",
        {
          confirmation_token,
        },
      );
      expect(confirmed).toHaveLength(COUNT);
      await vi.waitFor(() => expect(passed).toContain("arm.record_unarmed"));
      setFailpointHook(undefined);
      expect(new Set(await Promise.all(confirmed.map((post) => nextAlarm(post.id))))).toEqual(new Set([null]));

      const before = (await publishedPosts("x")).length;
      // The cron finds what the request left to it, and a minute after its time what the request wanted to arm itself.
      for (const at of [Date.now() + 30 * SECOND, dueAt, dueAt + MINUTE + SECOND]) {
        vi.setSystemTime(Math.max(Date.now(), at));
        await runCron();
        await runAlarmsUntilIdle(at < dueAt ? [] : confirmed);
      }
      const texts = (await publishedPosts("x")).slice(before).map(({ text }) => text);
      expect(texts.toSorted()).toEqual(posts.map(({ caption }) => caption).toSorted());
      const { body } = await callApi(caller, {
        method: "GET",
        path: "/posts?status=published&limit=200&fields=summary",
      });
      expect(body.pagination.total).toBe(COUNT);
    },
  );
});
