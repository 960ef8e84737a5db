import type { Mailer } from "#auth/index.ts";
import type { Env } from "#config.ts";

interface Binding {
  send(mail: { from: string; to: string; subject: string; text: string }): Promise<unknown>;
}

function isBinding(value: unknown): value is Binding {
  return typeof value === "object" && value !== null && "send" in value;
}

/** The operator's e-mail binding (`EMAIL`) and sender (`MAIL_FROM`); null where either is missing: then nothing offers a letter. */
export function mailerOf(env: Env): Mailer | null {
  const binding = env["EMAIL"];
  const from = env["MAIL_FROM"];
  if (!isBinding(binding) || typeof from !== "string" || from === "") {
    return null;
  }
  return {
    send: async (mail) => {
      await binding.send({ from, ...mail });
    },
  };
}
