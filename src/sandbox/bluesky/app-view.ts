import type { SimulatorContext } from "#sandbox/contract.ts";
import type { JsonObject } from "#core/json.ts";
import { invalidXrpc, xrpcError } from "./responses.ts";
import { accountStatus, findUser, findUserByDid, handleOf } from "./test-users.ts";

/* The AppView, which is what apps show. It lags behind the repositories (section 5, rule 23; B read-after-write.md). */

const LAG_MS = 3000;
const MAX_URIS = 25;
const POST_URI = /^at:\/\/(?<did>did:[^/]+)\/app\.bsky\.feed\.post\/(?<rkey>\w+)$/;

/** Whether the AppView already shows a stored record. With the setting `appview_never` it never does. */
export function isVisibleInApp(sim: SimulatorContext, storedAt: number): boolean {
  const { appview_never, appview_lag_ms } = sim.settings.extra;
  const lagMs = Number(appview_lag_ms ?? LAG_MS) + sim.settings.verify_lag_ms;
  return appview_never !== true && storedAt + lagMs <= sim.now();
}

type IndexedRecord = {
  readonly uri: string;
  readonly cid: string;
  readonly value: JsonObject;
  readonly storedAt: number;
};

/** Handles `GET app.bsky.actor.getProfile`. */
export function getProfile(sim: SimulatorContext, actor: string): Response {
  const user = findUser(sim, actor);
  switch (user ? accountStatus(sim) : "deleted") {
    case "takendown":
    case "suspended":
      return xrpcError(400, "AccountTakedown", "Account has been suspended");
    case "deactivated":
      return xrpcError(400, "AccountDeactivated", "Account is deactivated");
    case "deleted":
      return invalidXrpc("Profile not found");
    case null:
  }
  if (!user) {
    return invalidXrpc("Profile not found");
  }
  const posts = sim.store.list<IndexedRecord>(`record:${user.did}:`);
  return Response.json({
    did: user.did,
    handle: sim.settings.extra["handle_invalid"] === true ? "handle.invalid" : handleOf(sim, user),
    displayName: user.displayName,
    avatar: `https://cdn.bsky.app/img/avatar/plain/${user.did}/avatar@jpeg`,
    followersCount: 1,
    followsCount: 1,
    postsCount: posts.filter(([, { storedAt }]) => isVisibleInApp(sim, storedAt)).length,
    labels: [],
  });
}

/** Handles `GET app.bsky.feed.getPosts`. Posts that the AppView does not show yet are left out. */
export function getPosts(sim: SimulatorContext, uris: readonly string[]): Response {
  if (uris.length === 0 || uris.length > MAX_URIS) {
    return invalidXrpc(`uris must have 1 to ${MAX_URIS} items`);
  }
  const posts = uris.flatMap((uri) => {
    const { did = "", rkey = "" } = POST_URI.exec(uri)?.groups ?? {};
    const user = findUserByDid(did);
    const record = user && sim.store.get<IndexedRecord>(`record:${did}:${rkey}`);
    return record && isVisibleInApp(sim, record.storedAt)
      ? [{ uri, cid: record.cid, author: { did, handle: handleOf(sim, user) }, record: record.value }]
      : [];
  });
  return Response.json({ posts });
}
