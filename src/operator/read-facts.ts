import type { Services } from "#context.ts";
import { isJsonObject } from "#core/json.ts";
import { VERSION } from "#core/version.ts";
import { checkHealth } from "#metrics/index.ts";
import type { Facts } from "./facts.ts";
import { readPlatformFacts } from "./platform-facts.ts";
import { readTokenKeys } from "./read-token-keys.ts";
import { countSealedPerKey, readMigrations, readServiceFacts } from "./store-facts.ts";

function verificationFiles(setting: string | null): readonly string[] | null {
  try {
    const files: unknown = JSON.parse(setting ?? "{}");
    return isJsonObject(files) ? Object.keys(files) : null;
  } catch {
    return null;
  }
}

/** Collects the facts about the running service, even if parts of it fail. */
export async function readFacts(services: Services): Promise<Facts> {
  const { config, clock, db, outbound } = services;
  const [health, migrations, service, sealed, platforms] = await Promise.all([
    checkHealth(services),
    readMigrations(db),
    readServiceFacts(db),
    countSealedPerKey(db),
    readPlatformFacts(services),
  ]);
  const keys = readTokenKeys(config);
  return {
    version: VERSION,
    origin: config.origin,
    isSimulated: outbound.trustedMediaOrigin !== null,
    now: clock.now(),
    tokenKeys: { isJson: keys !== null, keys: keys ?? [], sealingId: config.tokenKeyId, sealed },
    health,
    migrations,
    cronRanAt: service?.beat ?? null,
    mail: { isBound: services.mailer !== null, from: config.setting("MAIL_FROM") },
    operator: {
      hasName: config.setting("OPERATOR_NAME") !== null,
      hasContact: config.setting("OPERATOR_CONTACT") !== null,
    },
    verificationFiles: verificationFiles(config.setting("MEDIA_VERIFICATION_FILES")),
    signUp: {
      mode: config.signup,
      lacksCode: config.asksSetupCode && config.setupCode === null,
      hasUsers: service?.hasUsers ?? false,
    },
    platforms,
  };
}
