import { env } from "cloudflare:workers";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

/** A person with accounts and posts, of which calls can go wrong in every way. */
export interface Fixture {
  readonly caller: ApiCaller;
  readonly accounts: Readonly<Record<"x" | "threads" | "youtube" | "pinterest" | "instagram" | "tiktok", string>>;
  /** An account on LinkedIn whose login has ended. */
  readonly lapsedId: string;
  readonly scheduledId: string;
  /** One that a call may cancel. */
  readonly doomedId: string;
  readonly cancelledId: string;
}

export async function createFixture(): Promise<Fixture> {
  const caller = await createCaller();
  const connect = async (...args: [Parameters<typeof connectOneAccount>[1], string?]) =>
    (await connectOneAccount(caller, ...args)).id;
  const accounts = {
    x: await connect("x"),
    threads: await connect("threads"),
    youtube: await connect("youtube"),
    pinterest: await connect("pinterest"),
    instagram: await connect("instagram"),
    tiktok: await connect("tiktok"),
  };
  const lapsedId = await connect("linkedin");
  await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(lapsedId).run();
  const scheduled = await scheduleTextPost(caller, accounts.x);
  const cancelled = await scheduleTextPost(caller, accounts.x, { caption: "Another glaze" });
  await callApi(caller, { method: "DELETE", path: `/posts/${cancelled.id}`, body: { confirm: true } });
  return {
    caller,
    accounts,
    lapsedId,
    scheduledId: scheduled.id,
    doomedId: (await scheduleTextPost(caller, accounts.x, { caption: "An old glaze" })).id,
    cancelledId: cancelled.id,
  };
}
