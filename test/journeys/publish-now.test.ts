import { describe, test, vi } from "vitest";
import { SECOND } from "#core/clock.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";
import { callExpecting, readPost, runAlarmsUntilIdle, useJourneyClock } from "./journey-driver.ts";

/* A post for now through the service: its object wakes at once, and publishes what the rows say. */

useJourneyClock("2041-01-01T09:00:00.400Z");

describe.each(["x", "bluesky", "mastodon"] as const)("a post for now on %s", (platform) => {
  test("is public within the second that its confirm sets, with the hash of its row", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await connectOneAccount(caller, platform);
    const body = { caption: `Out of the kiln, on ${platform}`, scheduled_at: "now", account_ids: [id] };
    const previewed = (await callExpecting(caller, "POST", "/posts/preview", body)).body;
    const token = { confirmation_token: previewed.confirmation_token };
    const confirmedAt = Date.now();
    const [post] = (await callExpecting(caller, "POST", "/posts/confirm", token)).body.posts;
    vi.setSystemTime(confirmedAt + SECOND);
    await runAlarmsUntilIdle([post]);
    const published = await readPost(caller, post.id);
    expect(published).toMatchObject({ status: "published", plan_hash: post.plan_hash });
    const publishedAt = Date.parse(published.targets[0]?.published_at ?? "");
    expect(publishedAt).toBeGreaterThanOrEqual(Date.parse(post.scheduled_at));
    expect(publishedAt - confirmedAt).toBeLessThanOrEqual(SECOND);
  });
});
