import { afterEach, describe, test } from "vitest";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  connectInBrowser,
  listAccounts,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  useJourneyClock,
} from "./journey-driver.ts";

/* A person's role at a page decides about the page only: her own account stays connected whatever happens there. */

useJourneyClock("2032-05-01T09:00:00Z");

afterEach(() => changeSettings("linkedin", { only_analyst: null }));

describe("a person who is an analyst of a page", () => {
  test(
    "connects, syncs and reconnects, and her own account is not touched",
    { timeout: 30_000 },
    async ({ expect }) => {
      const caller = await createCaller();
      const statuses = async () =>
        Object.fromEntries(
          (await listAccounts(caller, "linkedin")).map(({ display_name: name, status }) => [name, status]),
        );
      const sync = async () => {
        expect((await callApi(caller, { method: "POST", path: "/accounts/sync" })).status).toBe(200);
      };
      const bothActive = { "Cleo Example": "active", "Example Studio": "active" };
      await connectInBrowser(caller, "linkedin", "cleo");
      expect(await statuses()).toEqual(bothActive);
      await sync();
      expect(await statuses()).toEqual(bothActive);

      // Her other page makes her an analyst too.
      const accounts = await listAccounts(caller, "linkedin");
      const scheduled_at = toIsoInstant(Date.now() + HOUR);
      const scheduled = await Promise.all(
        ["Cleo Example", "Example Studio"].map(async (name) => {
          const account = accounts.find(({ display_name }) => display_name === name);
          const { post } = await schedulePost(caller, {
            caption: `${name}, ${crypto.randomUUID()}`,
            scheduled_at,
            targets: [{ account_id: account!.id, platform_options: {} }],
          });
          return post;
        }),
      );
      await changeSettings("linkedin", { only_analyst: true });
      await runAlarmsUntilIdle(scheduled);
      const [own, page] = await Promise.all(scheduled.map(({ id }) => readPost(caller, id)));
      expect(own?.status).toBe("published");
      expect(page).toMatchObject({ status: "failed", targets: [{ error: { code: "account_not_eligible" } }] });
      expect(await statuses()).toEqual(bothActive);
      await sync();
      const { "Cleo Example": self, "Example Studio": studio } = await statuses();
      expect(self).toBe("active");
      expect(studio).not.toBe("active");

      await changeSettings("linkedin", { only_analyst: null });
      await connectInBrowser(caller, "linkedin", "cleo");
      expect(await statuses()).toEqual(bothActive);
    },
  );
});
