import type { Config } from "#config.ts";
import { log } from "#core/log.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * A small text that proves to a platform that the operator owns this host: `MEDIA_VERIFICATION_FILES` is a JSON object of
 * file name to content, served beside the media and at the root.
 */
export function verificationFile(config: Pick<Config, "setting">, name: string): string | null {
  const setting = config.setting("MEDIA_VERIFICATION_FILES");
  if (setting === null || !NAME.test(name)) {
    return null;
  }
  try {
    const files: unknown = JSON.parse(setting);
    const content: unknown = Object.hasOwn(Object(files), name) ? (files as Record<string, unknown>)[name] : null;
    return typeof content === "string" ? content : null;
  } catch {
    log("error", "media.verification_files_unreadable");
    return null;
  }
}
