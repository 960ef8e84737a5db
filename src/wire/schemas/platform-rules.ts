import { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import type { JsonObject } from "#core/json.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { Adapter, AppCredentials, ConnectMethod as AdapterConnectMethod } from "#platforms/contract.ts";
import { optionScopesOf } from "#platforms/extra-scopes.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import { adapterFor } from "#platforms/registry.ts";
import { PlatformName } from "./common.ts";
import { limitFields, presentLimits } from "./platform-limits.ts";

const ConnectField = z
  .object({
    name: z.string(),
    label: z.string(),
    description: z.string(),
    is_secret: z.boolean().openapi({
      description:
        "Whether only the page at `connect_url` accepts it; other fields can be sent as `input` of `POST /accounts`.",
    }),
    is_required: z.boolean(),
    max_length: z.int(),
    example: z.string(),
  })
  .openapi("ConnectField", { description: "A value that the platform needs before a login." });

const ConnectMethod = z
  .object({
    kind: z.enum(["oauth", "credentials"]).openapi({
      description: "`oauth`: the user logs in at the platform. `credentials`: the user enters an app password.",
    }),
    fields: z.array(ConnectField),
  })
  .openapi("ConnectMethod", { description: "A way to connect an account." });

const OptionScopes = z
  .object({
    option: z.string(),
    scopes: z.array(z.string()).openapi({ description: "In the platform's own words." }),
    is_available: z.boolean().openapi({
      description:
        "Whether this installation asks for them; an account that was connected earlier has to be connected again.",
    }),
  })
  .openapi("OptionScopes", { description: "An option that needs more permissions than a login has otherwise." });

export const PlatformRules = z
  .object({
    platform: PlatformName,
    ...limitFields,
    options: z
      .custom<JsonObject>()
      .openapi({ type: "object", additionalProperties: true, description: "JSON Schema of `platform_options`." }),
    option_scopes: z.array(OptionScopes),
    connect: z.object({ methods: z.array(ConnectMethod) }),
  })
  .openapi("PlatformRules", { description: "The rules of a platform, with which posts are validated." });
export type PlatformRules = z.infer<typeof PlatformRules>;

function presentRules(
  platform: Platform,
  adapter: Adapter,
  settings: AppCredentials["settings"] | undefined,
): PlatformRules {
  return {
    platform,
    ...presentLimits(limitsFor(adapter, {}, settings)),
    options: toOptionsSchema(adapter),
    option_scopes: optionScopesOf(adapter, settings).map(({ option, scopes, isAvailable }) => ({
      option,
      scopes: [...scopes],
      is_available: isAvailable,
    })),
    connect: { methods: adapter.connect.methods.map(presentMethod) },
  };
}

function presentMethod(method: AdapterConnectMethod): z.infer<typeof ConnectMethod> {
  const fields = method.kind === "oauth" ? method.input : method.fields;
  return {
    kind: method.kind,
    fields: fields.map(({ name, label, description, isSecret, isRequired, maxLength, example }) => ({
      name,
      label,
      description,
      is_secret: isSecret,
      is_required: isRequired,
      max_length: maxLength,
      example,
    })),
  };
}

/**
 * The platforms' rules per configuration. They are kept, because they are constant and generating their JSON Schemas is
 * expensive.
 */
const knownRules = new WeakMap<Context["config"], PlatformRules[]>();

export function listRules({ config }: Pick<Context, "config">): PlatformRules[] {
  const known = knownRules.get(config);
  if (known !== undefined) {
    return known;
  }
  const rules = PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    return adapter ? [presentRules(platform, adapter, config.app(platform)?.settings)] : [];
  });
  knownRules.set(config, rules);
  return rules;
}

export function rulesOf(services: Pick<Context, "config">, platform: Platform): PlatformRules {
  const rules = listRules(services).find((candidate) => candidate.platform === platform);
  if (!rules) {
    throw new Error(`no rules of ${platform}`);
  }
  return rules;
}
