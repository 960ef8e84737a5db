import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import {
  createKey,
  createUser,
  disableUser,
  enableUser,
  listKeys,
  listUsers,
  revokeAccess,
  revokeKey,
  setPassword,
  setRole,
  setSubscription,
  userIdOf,
} from "#auth/index.ts";
import { systemClock, toIsoInstant } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { openDb } from "#db/client.ts";
import { GRACE_MS, requestDeletionOf } from "#personal-data/deletion/request-deletion.ts";
import { pausePostsForSubscription } from "#post-status/subscription/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#post-status/subscription/resume-posts-for-subscription.ts";
import { requireAgreement } from "./question.ts";

/** The command line does not say what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Options {
  readonly plan: string;
  readonly status: string;
  readonly password?: string | undefined;
  readonly name: string;
  readonly scopes: string;
  readonly days: string;
  readonly yes: boolean;
  readonly now: boolean;
}

/** The result as a program reads it, and as a person does. */
interface Output {
  readonly json: unknown;
  readonly lines: readonly string[];
}

type Command = (services: Services, args: readonly string[], options: Options) => Promise<Output>;

/** What the use cases need, without the parts of the service that only a Worker reaches. */
export function commandServices(d1: D1Database) {
  const deferred: Promise<unknown>[] = [];
  return {
    db: openDb(d1),
    clock: systemClock,
    ids: systemIds(systemClock),
    // This script cannot reach Durable Objects; the cron of the service arms them by `watch_at`.
    arm: () => Promise.resolve("ignored" as const),
    adapterFor: () => undefined,
    defer: (work: Promise<unknown>) => void deferred.push(work),
    deferred,
  };
}

type Services = ReturnType<typeof commandServices>;

const instant = (at: number | null): string | null => (at === null ? null : toIsoInstant(at));

function required(value: string | undefined, what: string): string {
  if (value === undefined) {
    throw new UsageError(`${what} is missing`);
  }
  return value;
}

function oneOf<T extends string>(known: readonly T[], value: string | undefined, what: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) {
    throw new UsageError(`${what} is one of ${known.join(", ")}`);
  }
  return found;
}

const parsePlan = (value: string | undefined): Plan => oneOf(PLANS, value, "the plan");
const parseStatus = (value: string): SubscriptionStatus => oneOf(SUBSCRIPTION_STATUSES, value, "the status");

async function findUser(services: Services, email: string | undefined): Promise<{ email: string; userId: string }> {
  const given = required(email, "the e-mail address");
  return { email: given.trim().toLowerCase(), userId: await userIdOf(services, { email: given }) };
}

/** From standard input, or made here. Never from an argument, which every user of the machine can read. */
async function choosePassword({ password }: Options): Promise<{ password: string; isGenerated: boolean }> {
  if (password === undefined) {
    return { password: randomBytes(15).toString("base64url"), isGenerated: true };
  }
  if (password !== "-") {
    throw new UsageError('--password is "-": the password is read from standard input');
  }
  return { password: (await text(process.stdin)).replace(/\r?\n$/, ""), isGenerated: false };
}

const addUser: Command = async (services, [email], options) => {
  const plan = parsePlan(options.plan);
  const subscription = parseStatus(options.status);
  const given = required(email, "the e-mail address");
  const { password, isGenerated } = await choosePassword(options);
  const { userId, workspaceId } = await createUser(services, { email: given, password, plan, subscription });
  return {
    json: { user_id: userId, workspace_id: workspaceId, ...(isGenerated && { password }) },
    lines: [`user ${userId}, workspace ${workspaceId}`, ...(isGenerated ? [`password ${password}`] : [])],
  };
};

const setPlan: Command = async (services, [email, planName, statusName = "active"]) => {
  const plan = parsePlan(planName);
  const status = parseStatus(statusName);
  const user = await findUser(services, email);
  await setSubscription(services, { userId: user.userId, plan, status });
  await (status === "canceled"
    ? pausePostsForSubscription(services, [user.userId])
    : resumePostsForSubscription(services, [user.userId]));
  return { json: { email: user.email, plan, status }, lines: [`${user.email} has the ${plan} plan, ${status}`] };
};

const addKey: Command = async (services, [email], { name, scopes, days }) => {
  const { userId } = await findUser(services, email);
  const created = await createKey(services, {
    userId,
    name,
    scopes: scopes === "all" ? SCOPES : scopes.split(","),
    expiresInDays: days === "never" ? null : Number(days),
  });
  return { json: { key: created.key }, lines: [created.key] };
};

const printUsers: Command = async (services) => {
  const users = await listUsers(services);
  return {
    json: users.map((user) => ({
      user_id: user.userId,
      email: user.email,
      plan: user.plan,
      status: user.status,
      current_period_end: instant(user.currentPeriodEnd),
      created_at: instant(user.createdAt),
      role: user.role,
      disabled_at: instant(user.disabledAt),
    })),
    lines: users.map((user) => {
      const until = user.currentPeriodEnd === null ? "" : ` until ${instant(user.currentPeriodEnd)}`;
      const since = `since ${instant(user.createdAt)}`;
      const disabled = user.disabledAt === null ? "" : `  disabled since ${instant(user.disabledAt)}`;
      return `${user.userId}  ${user.email}  ${user.role ?? "user"}  ${user.plan ?? "no plan"} ${user.status ?? ""}${until}  ${since}${disabled}`;
    }),
  };
};

const printKeys: Command = async (services, [email]) => {
  const keys = await listKeys(services, await findUser(services, email));
  const now = systemClock.now();
  return {
    json: keys.map(({ id, name, hint, scopes, ...key }) => ({
      id,
      name,
      hint,
      scopes,
      created_at: instant(key.createdAt),
      expires_at: instant(key.expiresAt),
      last_used_at: instant(key.lastUsedAt),
      revoked_at: instant(key.revokedAt),
    })),
    lines: keys.map(({ id, name, hint, expiresAt, lastUsedAt, revokedAt }) => {
      const isExpired = expiresAt !== null && expiresAt <= now;
      const state = revokedAt === null ? (isExpired ? "expired" : "active") : `revoked ${instant(revokedAt)}`;
      return `${id}  ${hint}  ${name}  ${state}, last used ${instant(lastUsedAt) ?? "never"}`;
    }),
  };
};

const revokeKeys: Command = async (services, [email, keyId], { yes }) => {
  const { userId, email: address } = await findUser(services, email);
  if (keyId !== undefined) {
    await requireAgreement(`The key ${keyId} of ${address} ends`, yes);
    await revokeKey(services, { userId, id: keyId });
    return { json: { keys: 1, apps: 0, webhooks: 0, feeds: 0 }, lines: [`revoked the key ${keyId} of ${address}`] };
  }
  await requireAgreement(`Every key, connected app, webhook and calendar address of ${address} ends`, yes);
  const revoked = await revokeAccess(services, { userId });
  return {
    json: revoked,
    lines: [
      `ended ${revoked.keys} keys, ${revoked.apps} connected apps, ${revoked.webhooks} webhooks and ${revoked.feeds} calendar addresses of ${address}`,
    ],
  };
};

const resetPassword: Command = async (services, [email], options) => {
  const user = await findUser(services, email);
  await requireAgreement(`The password of ${user.email} is replaced and every session ends`, options.yes);
  const { password, isGenerated } = await choosePassword(options);
  await setPassword(services, { ...user, password });
  return {
    json: { email: user.email, ...(isGenerated && { password }) },
    lines: [`${user.email} has a new password and is signed out`, ...(isGenerated ? [`password ${password}`] : [])],
  };
};

const disable: Command = async (services, [email], { yes }) => {
  const user = await findUser(services, email);
  await requireAgreement(
    `${user.email} can no longer sign in; sessions, keys and connected apps end, and what is scheduled is paused`,
    yes,
  );
  await disableUser(services, user);
  await pausePostsForSubscription(services, [user.userId]);
  return { json: { email: user.email, disabled: true }, lines: [`${user.email} is disabled`] };
};

const enable: Command = async (services, [email]) => {
  const user = await findUser(services, email);
  await enableUser(services, user);
  const row = (await listUsers(services)).find(({ userId }) => userId === user.userId);
  if (row?.status !== "canceled") {
    await resumePostsForSubscription(services, [user.userId]);
  }
  return { json: { email: user.email, disabled: false }, lines: [`${user.email} is enabled; keys must be made anew`] };
};

const giveRole: Command = async (services, [email, given]) => {
  const role = oneOf(["operator", "user"], given, "the role");
  const user = await findUser(services, email);
  await setRole(services, { userId: user.userId, role: role === "operator" ? role : null });
  return { json: { email: user.email, role }, lines: [`${user.email} has the role ${role}`] };
};

const deleteUser: Command = async (services, [email], { yes, now }) => {
  const user = await findUser(services, email);
  const graceMs = now ? 0 : GRACE_MS;
  const erasedFrom = instant(services.clock.now() + graceMs);
  const when = now ? "with the next run of the cron, which cannot be undone" : `from ${erasedFrom} on`;
  await requireAgreement(
    `Sessions, keys, apps and logins of ${user.email} end, what is scheduled is cancelled, and everything is erased ${when}`,
    yes,
  );
  await requestDeletionOf(services, { userId: user.userId, requestedBy: "operator", graceMs });
  return { json: { email: user.email, erased_from: erasedFrom }, lines: [`${user.email} is erased ${when}`] };
};

export const COMMANDS: ReadonlyMap<string | undefined, Command> = new Map([
  ["add", addUser],
  ["list", printUsers],
  ["plan", setPlan],
  ["reset-password", resetPassword],
  ["disable", disable],
  ["enable", enable],
  ["role", giveRole],
  ["key", addKey],
  ["keys", printKeys],
  ["revoke-keys", revokeKeys],
  ["delete", deleteUser],
]);
