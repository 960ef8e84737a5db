import { z } from "zod";
import { PLANS, SUBSCRIPTION_STATUSES } from "#core/plan.ts";
import { SCOPES } from "#core/scope.ts";
import { DELAY_MAX_MS } from "./injected-fault.ts";

const shortText = z.string().min(1).max(500);
const DAY_MS = 86_400_000;

export const CreateUserInput = z.object({
  email: z.string().max(254).optional(),
  password: z.string().max(1000).optional(),
  plan: z.enum(PLANS).default("scale"),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .default([...SCOPES]),
  subscription: z.enum(SUBSCRIPTION_STATUSES).default("active"),
  pinned: z.boolean().default(false),
});

const formValues = z.record(shortText, z.string().max(2000));

export const ConnectInput = z.object({
  api_key: shortText,
  platform: shortText,
  login: shortText.default("ada"),
  input: formValues.default({}),
  credentials: formValues.nullable().default(null),
});

export const RevokeInput = z.object({ account: shortText });

export const RunCronInput = z.object({ cron: shortText.default("* * * * *") });

const SwitchValue = z.union([z.null(), z.boolean(), z.number(), z.string().max(200)]);

/** A change of settings. Null restores the platform's own value; unlisted members are settings of the one simulator. */
export const SettingsInput = z
  .object({
    processing_ms: z.int().min(0).max(DAY_MS).optional(),
    latency_ms: z.int().min(0).max(DELAY_MAX_MS).optional(),
    verify_lag_ms: z.int().min(0).max(DAY_MS).optional(),
    token_lifetime_s: z.int().min(1).max(1_000_000_000).nullable().optional(),
    quota: z.int().min(0).max(1_000_000_000).nullable().optional(),
  })
  .catchall(SwitchValue)
  .transform(({ processing_ms, latency_ms, verify_lag_ms, token_lifetime_s, quota, ...extra }) => ({
    processing_ms,
    latency_ms,
    verify_lag_ms,
    token_lifetime_s,
    quota,
    extra,
  }));

export const SinceParam = z.union([
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  z.coerce.number().int().min(0),
]);
