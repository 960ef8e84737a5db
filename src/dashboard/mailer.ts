import type { Mailer } from "#auth/index.ts";
import type { Env } from "#config.ts";

interface EmailBinding {
  send(mail: { from: string; to: string; subject: string; text: string }): Promise<unknown>;
}

function isEmailBinding(value: unknown): value is EmailBinding {
  return typeof value === "object" && value !== null && "send" in value;
}

/** Sends e-mails through the operator's binding (`EMAIL`) from `MAIL_FROM`; null if either is missing: the pages then offer no e-mail features. */
export function createMailer(env: Env): Mailer | null {
  const binding = env["EMAIL"];
  const from = env["MAIL_FROM"];
  if (!isEmailBinding(binding) || typeof from !== "string" || from === "") {
    return null;
  }
  return {
    send: async (mail) => {
      await binding.send({ from, ...mail });
    },
  };
}
