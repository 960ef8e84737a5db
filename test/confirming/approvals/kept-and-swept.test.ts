import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { sweepMedia } from "#media/index.ts";
import { approveRequest, declineRequest } from "#confirming/index.ts";
import { deleteExpiredPosts } from "#post-status/cleanup/delete-cancelled-posts.ts";
import { createAccount, createMedia, freezeClock, NOON } from "../../posts/test-context.ts";
import { createParties, type Parties, requestPost, revoke, stateOf } from "./approval-context.ts";

beforeEach(() => freezeClock());

async function requestIn(parties: Parties, days: number) {
  const x = await createAccount(parties.agent);
  return await requestPost(parties, { accountIds: [x], scheduledAt: parties.agent.clock.now() + days * DAY });
}

describe("the cron", () => {
  test("ends what nobody decided in time, and says withdrawn where the credential was revoked before", async () => {
    const [first, second] = [await createParties(), await createParties()];
    const [expired, withdrawn, pending] = [
      await requestIn(first, 1),
      await requestIn(second, 1),
      await requestIn(first, 2),
    ];
    await revoke(second);
    vi.setSystemTime(NOON + DAY - 1);
    expect(await deleteExpiredPosts(first.person)).toMatchObject({ expiredApprovals: 0 });
    vi.setSystemTime(NOON + DAY);
    expect(await deleteExpiredPosts(first.person)).toMatchObject({ expiredApprovals: 2 });
    expect(await Promise.all([expired, withdrawn, pending].map(({ id }) => stateOf(id)))).toEqual([
      "expired",
      "withdrawn",
      "pending",
    ]);
  });

  test("deletes what was declined or withdrawn a day ago, what was decided otherwise thirty days ago, and nothing that waits", async () => {
    const parties = await createParties();
    const requests = [await requestIn(parties, 2), await requestIn(parties, 3), await requestIn(parties, 4)] as const;
    const pending = await requestIn(parties, 7);
    const [declined, withdrawn, approved] = requests.map(({ id }) => id);
    await declineRequest(parties.person, { id: declined ?? "", note: "" });
    for (const [id, state] of [
      [withdrawn, "withdrawn"],
      [approved, "approved"],
    ] as const) {
      await env.DB.prepare("UPDATE approvals SET state = ?, decided_at = ? WHERE id = ?").bind(state, NOON, id).run();
    }
    const leftAt = async (now: number) => {
      vi.setSystemTime(now);
      await deleteExpiredPosts(parties.person);
      const { results } = await env.DB.prepare("SELECT id FROM approvals").all<{ id: string }>();
      const ids = new Set(results.map(({ id }) => id));
      return [declined, withdrawn, approved, pending.id].map((id) => ids.has(id ?? ""));
    };
    expect(await leftAt(NOON + DAY)).toEqual([true, true, true, true]);
    expect(await leftAt(NOON + DAY + 1)).toEqual([false, false, true, true]);
    expect(await leftAt(NOON + 30 * DAY)).toEqual([false, false, true, true]);
    expect(await leftAt(NOON + 30 * DAY + 1)).toEqual([false, false, false, true]);
  });
});

describe("the media of a plan", () => {
  async function sweepFor(parties: Parties, days: number): Promise<void> {
    const end = parties.agent.clock.now() + days * DAY;
    while (parties.agent.clock.now() < end) {
      vi.setSystemTime(parties.agent.clock.now() + 10 * MINUTE);
      await sweepMedia(parties.person);
    }
  }
  const stateOfMedia = (id: string) => env.DB.prepare("SELECT state FROM media WHERE id = ?").bind(id).first("state");

  test("are kept while it waits, so that it can be approved on its last day", async () => {
    const parties = await createParties();
    // Long unused: due for the sweep from the beginning.
    const image = await createMedia(parties.agent);
    const unused = await createMedia(parties.agent);
    const x = await createAccount(parties.agent);
    const request = await requestPost(parties, {
      accountIds: [x],
      mediaUrls: [image.url],
      scheduledAt: NOON + 3 * DAY + 60 * MINUTE,
    });
    await sweepFor(parties, 3);
    expect(await stateOfMedia(unused.id)).toBeNull();
    expect(await stateOfMedia(image.id)).toBe("ready");
    const [post] = await approveRequest(parties.person, request);
    expect(post?.mediaItems).toHaveLength(1);
    await sweepFor(parties, 1);
    expect(await stateOfMedia(image.id)).toBe("ready");
  });

  test("are swept like others once it is declined", async () => {
    const parties = await createParties();
    const image = await createMedia(parties.agent);
    const x = await createAccount(parties.agent);
    const { id } = await requestPost(parties, { accountIds: [x], mediaUrls: [image.url], scheduledAt: NOON + 2 * DAY });
    await declineRequest(parties.person, { id, note: "" });
    await sweepFor(parties, 1);
    expect(await stateOfMedia(image.id)).toBeNull();
  });
});
