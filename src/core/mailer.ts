/** Sends the e-mails of this service; exists only where the operator configured an e-mail binding. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same as a page, for programs that show one. */
  readonly html?: string;
}

interface EmailBinding {
  send(mail: Mail & { readonly from: string }): Promise<unknown>;
}

function isEmailBinding(value: unknown): value is EmailBinding {
  return typeof value === "object" && value !== null && "send" in value;
}

/** Sends e-mails through the operator's binding (`EMAIL`) from `MAIL_FROM`; null if either is missing: no e-mail features are offered then. */
export function createMailer(env: { readonly [name: string]: unknown }): Mailer | null {
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
