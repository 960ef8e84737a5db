import { MINUTE } from "#core/clock.ts";
import { sha256Hex, toBase64Url } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { ACCOUNTS_BEFORE_EMAIL_PROOF } from "#core/plan.ts";
import { type Platform, PLATFORM_NAMES } from "#core/platform.ts";
import type { Context } from "#context.ts";
import type { Adapter } from "#platforms/contract.ts";
import { configuredPlatform } from "#accounts/configured-platform.ts";
import { checkField, fieldsOf } from "./connect-methods.ts";
import { countAccounts } from "#accounts/store-accounts.ts";
import { listAccounts } from "#accounts/list-accounts.ts";
import { insertState } from "./store-connect-states.ts";

const STATE_LIFETIME_MS = 10 * MINUTE;
const SECRET_BYTES = 32;

export interface StartConnectInput {
  readonly platform: Platform;
  /** Values for the form fields of the platform's login methods. */
  readonly input?: Readonly<Record<string, string>>;
  /** The account to reconnect. Its stored data fill the form fields that `input` leaves out. */
  readonly accountId?: string | undefined;
}

export interface StartedConnect {
  /** The page of this service that the user opens in a browser to log in. */
  readonly connectUrl: string;
  readonly platform: Platform;
  readonly expiresAt: number;
}

/**
 * Starts to connect an account and returns the URL of a page of this service. The URL contains a single-use state,
 * which is stored only as a hash.
 */
export async function startConnect(
  ctx: Pick<Context, "actor" | "db" | "clock" | "ids" | "config" | "adapterFor">,
  { platform, input = {}, accountId }: StartConnectInput,
): Promise<StartedConnect> {
  const configured = configuredPlatform(ctx, platform);
  if (!configured) {
    refuse({
      code: "platform_not_configured",
      message: `${PLATFORM_NAMES[platform]} is not set up on this service: its operator has not entered app credentials.`,
      param: "platform",
    });
  }
  const known = accountId === undefined ? {} : await valuesOfAccount(ctx, configured.adapter, accountId);
  const values = { ...known, ...checkInput(configured.adapter, input) };
  await assertAccountLimit(ctx, platform);
  const state = toBase64Url(ctx.ids.random(SECRET_BYTES));
  const expiresAt = ctx.clock.now() + STATE_LIFETIME_MS;
  await insertState(ctx.db, {
    hash: await sha256Hex(state),
    userId: ctx.actor.userId,
    workspaceId: ctx.actor.workspaceId,
    platform,
    expiresAt,
    input: Object.keys(values).length === 0 ? null : values,
  });
  const connectUrl = `${ctx.config.origin}/connect/${platform}?${String(new URLSearchParams({ state }))}`;
  return { connectUrl, platform, expiresAt };
}

/** Form values from the stored data of an account. Empty if the workspace does not have this account. */
async function valuesOfAccount(
  ctx: Pick<Context, "actor" | "db" | "clock">,
  { connect, platform }: Adapter,
  accountId: string,
): Promise<Record<string, string>> {
  const account = (await listAccounts(ctx, { platform })).find(({ id }) => id === accountId);
  return Object.fromEntries(
    connect.methods
      .flatMap(fieldsOf)
      .flatMap(({ name, valueOfAccount }) => (account && valueOfAccount ? [[name, valueOfAccount(account)]] : [])),
  );
}

/**
 * Accepts only fields that the platform declares and that are not secrets. The page of the login asks for missing
 * fields.
 */
function checkInput({ connect, platform }: Adapter, input: Readonly<Record<string, string>>): Record<string, string> {
  const fields = new Map(
    connect.methods.flatMap(fieldsOf).flatMap((field) => (field.isSecret ? [] : [[field.name, field] as const])),
  );
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(input)) {
    const param = `input.${name}`;
    const field = fields.get(name);
    if (!field) {
      const known = [...fields.keys()];
      const message = `${PLATFORM_NAMES[platform]} has no input of this name; ${known.length === 0 ? "it takes none" : `known names: ${known.join(", ")}`}`;
      refuse({ code: "validation_failed", message, param });
    }
    const value = text.trim();
    const problem = checkField(field, value);
    if (problem) {
      refuse({ code: "validation_failed", message: problem.message, param });
    }
    if (value !== "") {
      values[name] = value;
    }
  }
  return values;
}

/**
 * Refuses a login if the user has reached the account limit. A login stays possible while an account of the platform
 * needs a reconnect, because that uses no further place.
 */
async function assertAccountLimit(ctx: Pick<Context, "actor" | "db">, platform: Platform): Promise<void> {
  const limit = ctx.actor.limits.accounts;
  const { connected, reconnectable } = await countAccounts(ctx.db, ctx.actor, platform);
  if (connected >= limit && reconnectable === 0) {
    // An unconfirmed e-mail address lowers the account limit, so the user should confirm the address.
    const nextStep =
      limit === ACCOUNTS_BEFORE_EMAIL_PROOF
        ? "Confirm your e-mail address in the dashboard if you have not, disconnect one, or change the plan."
        : "Disconnect one or change the plan.";
    refuse({
      code: "account_limit_reached",
      message: `Your plan allows ${limit} connected accounts and ${connected} are connected. ${nextStep}`,
      details: [{ code: "account_limit_reached", message: "connected accounts", limit, actual: connected }],
    });
  }
}
