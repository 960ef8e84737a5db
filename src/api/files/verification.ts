import { log } from "#core/log.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * The content of a file with which the operator proves to a platform that this host is theirs. Null for an unknown
 * name. The setting `MEDIA_VERIFICATION_FILES` is a JSON object of file names and contents. The files are served at the
 * root and under `/media`.
 */
export function findVerificationFile(setting: unknown, name: string): string | null {
  if (typeof setting !== "string" || setting === "" || !NAME.test(name)) {
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
