import type { Patch } from "../source-copy.ts";

export const SCRYPT_LOG_LINE = "attack: scrypt runs";

export const MAIL_LOG_LINE = "attack: a mail to ";

/**
 * A change of the source code: binds a mailer that logs its recipients, because the sandbox has none. Other topics run
 * without mails, as most installations do.
 */
export const MAIL_RECORDER: Patch = {
  name: "record-mails",
  changes: [
    {
      before: `return { send: (mail) => { console.log("${MAIL_LOG_LINE}" + mail.to); return Promise.resolve(); } };`,
    },
  ],
};

/** A change of the source code: logs every password hash, so that an attack counts work instead of measuring time. */
export const SCRYPT_COUNTER: Patch = {
  name: "count-scrypt",
  changes: [{ before: `console.log("${SCRYPT_LOG_LINE}");` }],
};
