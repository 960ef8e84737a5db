import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createKey, createUser, KEY_DAYS_DEFAULT, listUsers, setSubscription, userIdOf } from "#auth/index.ts";
import { systemClock, toInstant } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { systemIds } from "#core/ids.ts";
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { openDb } from "#db/client.ts";
import { pauseForSubscription, resumeForSubscription } from "#posting/status/pause-for-subscription.ts";
import { wranglerD1 } from "./user/wrangler-d1.ts";

const USAGE = `Users of an Almanac, made and changed by its operator.

  npm run user -- add <email> [--plan growth] [--status trialing] [--password -]
  npm run user -- plan <email> <starter|growth|scale> [active|trialing|past_due|canceled]
  npm run user -- key <email> [--name cli] [--scopes all|posts:read,…] [--days 90|never]
  npm run user -- list

Where: --remote for the deployed database, otherwise the local one; --env and --persist-to go to wrangler.
Without --password one is made and shown; "-" reads it from the input.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    plan: { type: "string", default: "growth" },
    status: { type: "string", default: "trialing" },
    password: { type: "string" },
    name: { type: "string", default: "cli" },
    scopes: { type: "string", default: "all" },
    days: { type: "string", default: String(KEY_DAYS_DEFAULT) },
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
  },
});

const flags = [
  values.remote ? "--remote" : "--local",
  ...(values.env === undefined ? [] : ["--env", values.env]),
  ...(values["persist-to"] === undefined ? [] : ["--persist-to", values["persist-to"]]),
];

const deferred: Promise<unknown>[] = [];
const services = {
  db: openDb(wranglerD1(flags)),
  clock: systemClock,
  ids: systemIds(systemClock),
  // The objects of posts are out of reach from here; the service's cron finds them by `watch_at`.
  arm: () => Promise.resolve("ignored" as const),
  adapterFor: () => undefined,
  defer: (work: Promise<unknown>) => void deferred.push(work),
};

function usage(): never {
  console.error(USAGE);
  process.exit(2);
}

function planOf(word: string | undefined): Plan {
  return PLANS.find((plan) => plan === word) ?? usage();
}

function statusOf(word: string): SubscriptionStatus {
  return SUBSCRIPTION_STATUSES.find((status) => status === word) ?? usage();
}

async function known(email: string | undefined): Promise<string> {
  return userIdOf(services, { email: email ?? usage() });
}

async function add(email: string | undefined): Promise<void> {
  const made = values.password === undefined ? randomBytes(15).toString("base64url") : null;
  const password = made ?? (values.password === "-" ? (await text(process.stdin)).replace(/\r?\n$/, "") : usage());
  const user = await createUser(services, {
    email: email ?? usage(),
    password,
    plan: planOf(values.plan),
    subscription: statusOf(values.status),
  });
  console.log(`user ${user.userId}, workspace ${user.workspaceId}`);
  if (made !== null) {
    console.log(`password ${made}`);
  }
}

async function plan(email: string | undefined, planWord: string | undefined, statusWord = "active"): Promise<void> {
  const userId = await known(email);
  const status = statusOf(statusWord);
  await setSubscription(services, { userId, plan: planOf(planWord), status });
  await (status === "canceled" ? pauseForSubscription(services, [userId]) : resumeForSubscription(services, [userId]));
  console.log(`${email} has the ${planWord} plan, ${status}`);
}

async function key(email: string | undefined): Promise<void> {
  const made = await createKey(services, {
    userId: await known(email),
    name: values.name,
    scopes: values.scopes === "all" ? SCOPES : values.scopes.split(","),
    expiresInDays: values.days === "never" ? null : Number(values.days),
  });
  console.log(made.key);
}

async function list(): Promise<void> {
  for (const user of await listUsers(services)) {
    const until = user.currentPeriodEnd === null ? "" : ` until ${toInstant(user.currentPeriodEnd)}`;
    console.log(
      `${user.userId}  ${user.email}  ${user.plan ?? "no plan"} ${user.status ?? ""}${until}  since ${toInstant(user.createdAt)}`,
    );
  }
}

const [command, ...rest] = positionals;
const commands: Record<string, () => Promise<void>> = {
  add: () => add(rest[0]),
  plan: () => plan(rest[0], rest[1], rest[2]),
  key: () => key(rest[0]),
  list,
};
try {
  await (commands[command ?? ""] ?? usage)();
  await Promise.all(deferred);
} catch (error) {
  if (!(error instanceof RefusalError)) {
    throw error;
  }
  console.error(error.refusal.message);
  process.exitCode = 1;
}
