import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { createKey, createUser, KEY_DAYS_DEFAULT, listUsers, setSubscription, userIdOf } from "#auth/index.ts";
import { systemClock, toIsoInstant } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { systemIds } from "#core/ids.ts";
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { openDb } from "#db/client.ts";
import { pausePostsForSubscription } from "#posting/status/pause-posts-for-subscription.ts";
import { resumePostsForSubscription } from "#posting/status/resume-posts-for-subscription.ts";
import { DatabaseError, wranglerD1 } from "./user/wrangler-d1.ts";

const USAGE = `Creates and changes the users of an Almanac service, for its operator.

  npm run user -- add <email> [--plan growth] [--status trialing] [--password -]
  npm run user -- plan <email> <starter|growth|scale> [active|trialing|past_due|canceled]
  npm run user -- key <email> [--name cli] [--scopes all|posts:read,…] [--days 90|never]
  npm run user -- list

--remote selects the deployed database instead of the local one; --env and --persist-to are passed to wrangler.
Without --password a password is generated and printed; "-" reads it from standard input.`;

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
  // This script cannot reach Durable Objects; the cron of the service arms them by `watch_at`.
  arm: () => Promise.resolve("ignored" as const),
  adapterFor: () => undefined,
  defer: (work: Promise<unknown>) => void deferred.push(work),
};

function exitWithUsage(): never {
  console.error(USAGE);
  process.exit(2);
}

function parsePlan(value: string | undefined): Plan {
  return PLANS.find((plan) => plan === value) ?? exitWithUsage();
}

function parseStatus(value: string): SubscriptionStatus {
  return SUBSCRIPTION_STATUSES.find((status) => status === value) ?? exitWithUsage();
}

async function findUserId(email: string | undefined): Promise<string> {
  return userIdOf(services, { email: email ?? exitWithUsage() });
}

async function addUser(email: string | undefined): Promise<void> {
  const generated = values.password === undefined ? randomBytes(15).toString("base64url") : null;
  const password =
    generated ?? (values.password === "-" ? (await text(process.stdin)).replace(/\r?\n$/, "") : exitWithUsage());
  const user = await createUser(services, {
    email: email ?? exitWithUsage(),
    password,
    plan: parsePlan(values.plan),
    subscription: parseStatus(values.status),
  });
  console.log(`user ${user.userId}, workspace ${user.workspaceId}`);
  if (generated !== null) {
    console.log(`password ${generated}`);
  }
}

async function setPlan(email: string | undefined, planName: string | undefined, statusName = "active"): Promise<void> {
  const userId = await findUserId(email);
  const status = parseStatus(statusName);
  await setSubscription(services, { userId, plan: parsePlan(planName), status });
  await (status === "canceled"
    ? pausePostsForSubscription(services, [userId])
    : resumePostsForSubscription(services, [userId]));
  console.log(`${email} has the ${planName} plan, ${status}`);
}

async function addKey(email: string | undefined): Promise<void> {
  const generated = await createKey(services, {
    userId: await findUserId(email),
    name: values.name,
    scopes: values.scopes === "all" ? SCOPES : values.scopes.split(","),
    expiresInDays: values.days === "never" ? null : Number(values.days),
  });
  console.log(generated.key);
}

async function printUsers(): Promise<void> {
  for (const user of await listUsers(services)) {
    const until = user.currentPeriodEnd === null ? "" : ` until ${toIsoInstant(user.currentPeriodEnd)}`;
    console.log(
      `${user.userId}  ${user.email}  ${user.plan ?? "no plan"} ${user.status ?? ""}${until}  since ${toIsoInstant(user.createdAt)}`,
    );
  }
}

const [command, ...rest] = positionals;
const commands = new Map<string | undefined, () => Promise<void>>([
  ["add", () => addUser(rest[0])],
  ["plan", () => setPlan(rest[0], rest[1], rest[2])],
  ["key", () => addKey(rest[0])],
  ["list", printUsers],
]);
try {
  await (commands.get(command) ?? exitWithUsage)();
  await Promise.all(deferred);
} catch (error) {
  if (!(error instanceof RefusalError || error instanceof DatabaseError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
}
