import { describe, test } from "vitest";
import { HOUR, toInstant } from "#core/clock.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { call } from "../support/call.ts";
import { newCaller } from "../support/user.ts";
import {
  accountsOf,
  bookOf,
  connectInBrowser,
  freshFile,
  journeysApart,
  letTimePass,
  type MediaItem,
  readPost,
  runCron,
  schedule,
  upload,
  withdrawAt,
} from "./journey-driver.ts";
import { KINDS } from "./kinds.ts";

/* The person withdraws the app at the platform, says nothing here, and comes back later. */

journeysApart("2032-03-01T09:00:00Z");

describe.each(PLATFORMS)("%s", (platform) => {
  const kind = KINDS.find((one) => one.platform === platform)!;

  test(
    "a withdrawn login fails its post truthfully, holds the next one, and a new login lets it go",
    { timeout: 30_000 },
    async ({ expect }) => {
      const began = Date.now();
      const caller = await newCaller();
      const { accounts } = await connectInBrowser(caller, platform);
      const [account] = accounts;
      const media_items: MediaItem[] = [];
      for (const name of kind.files) {
        media_items.push(await upload(caller, await freshFile(name)));
      }
      const body = (caption: string, hours: number) => ({
        caption: `${caption}, ${crypto.randomUUID()}`,
        scheduled_at: toInstant(began + hours * HOUR),
        media_items,
        targets: [{ account_id: account!.id, platform_options: kind.options ?? {} }],
      });
      const { post: first } = await schedule(caller, body("too late", 1));
      const { post: second } = await schedule(caller, body("in time", 5));
      const before = await bookOf(platform);

      await withdrawAt(platform, account!.platform_account_id);
      await letTimePass([first]);
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
      expect(await bookOf(platform)).toEqual(before);

      await runCron();
      const [dead] = await accountsOf(caller, platform);
      expect(dead).toMatchObject({ id: account!.id, status: "needs_reconnect" });
      expect(dead?.status_reason).toEqual(expect.stringMatching(/\w+ \w+/));
      expect(await readPost(caller, second.id)).toMatchObject({ status: "paused", paused_reason: "account" });
      const refused = await call(caller, { method: "POST", path: "/posts/preview", body: body("not now", 6) });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ account_id: account!.id }] } });

      const again = await connectInBrowser(caller, platform);
      expect(again.accounts.map((one) => one.id)).toEqual(accounts.map((one) => one.id));
      expect(again.accounts[0]?.status).toBe("active");
      expect(await readPost(caller, second.id)).toMatchObject({ status: "scheduled", paused_reason: null });
      await letTimePass([second]);
      expect(await readPost(caller, second.id)).toMatchObject({ status: "published" });
      expect(await bookOf(platform)).toHaveLength(before.length + kind.book.length);
    },
  );
});
