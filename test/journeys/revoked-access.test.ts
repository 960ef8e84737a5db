import { describe, test } from "vitest";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  listAccounts,
  publishedPosts,
  connectInBrowser,
  createUniqueFile,
  useJourneyClock,
  runAlarmsUntilIdle,
  type MediaItem,
  readPost,
  runCron,
  schedulePost,
  waitUntilArmed,
  uploadFile,
  revokeAtPlatform,
} from "./journey-driver.ts";
import { postKindsOf } from "./post-kinds.ts";

/* The user revokes access at the platform without disconnecting here, and logs in again later. */

useJourneyClock("2032-03-01T09:00:00Z");

describe.each(PLATFORMS)("%s", (platform) => {
  const [kind] = postKindsOf(platform);

  test(
    "revoked access fails the due post with an auth error, pauses the next one, and a new login resumes it",
    { timeout: 30_000 },
    async ({ expect }) => {
      const startedAt = Date.now();
      const caller = await createCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const [account] = accounts;
      const media_items: MediaItem[] = [];
      for (const name of kind.files) {
        media_items.push(await uploadFile(caller, await createUniqueFile(name)));
      }
      const body = (caption: string, hours: number) => ({
        caption: `${caption}, ${crypto.randomUUID()}`,
        scheduled_at: toIsoInstant(startedAt + hours * HOUR),
        media_items,
        targets: [{ account_id: account!.id, platform_options: kind.options ?? {} }],
      });
      const { post: first } = await schedulePost(caller, body("too late", 1));
      const { post: second } = await schedulePost(caller, body("in time", 5));
      const before = await publishedPosts(platform);

      await revokeAtPlatform(platform, account!.platform_account_id);
      await runAlarmsUntilIdle([first]);
      const failed = await readPost(caller, first.id);
      expect(failed).toMatchObject({
        status: "failed",
        targets: [
          {
            status: "failed",
            platform_post_id: null,
            error: { category: "auth", who_must_act: "user", retryable: false },
          },
        ],
      });
      expect(failed.targets[0]?.error?.["message"]).toMatch(
        new RegExp(`${PLATFORM_NAMES[platform]}|log in|connect`, "i"),
      );
      expect(JSON.stringify(failed)).not.toMatch(/Bearer|access_token|refresh_token/);
      expect(await publishedPosts(platform)).toEqual(before);

      await runCron();
      const [disconnected] = await listAccounts(caller, platform);
      expect(disconnected).toMatchObject({ id: account!.id, status: "needs_reconnect" });
      expect(disconnected?.status_reason).toEqual(expect.stringMatching(/\w+ \w+/));
      expect(await readPost(caller, second.id)).toMatchObject({ status: "paused", paused_reason: "account" });
      const refused = await callApi(caller, { method: "POST", path: "/posts/preview", body: body("not now", 6) });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ account_id: account!.id }] } });

      const reconnected = await connectInBrowser(caller, platform);
      expect(reconnected.accounts.map((one) => one.id)).toEqual(accounts.map((one) => one.id));
      expect(reconnected.accounts[0]?.status).toBe("active");
      expect(await readPost(caller, second.id)).toMatchObject({ status: "scheduled", paused_reason: null });
      await waitUntilArmed(second.id);
      await runAlarmsUntilIdle([second]);
      expect(await readPost(caller, second.id)).toMatchObject({ status: "published" });
      expect(await publishedPosts(platform)).toHaveLength(before.length + kind.published.length);
    },
  );
});
