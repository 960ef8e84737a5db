/** Sends the service's e-mails. It exists only if the operator has configured an e-mail binding. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The content of the mail as HTML, for e-mail programs that show HTML. */
  readonly html?: string;
}

interface EmailBinding {
  send(mail: Mail & { readonly from: string }): Promise<unknown>;
}

function isEmailBinding(value: unknown): value is EmailBinding {
  return typeof value === "object" && value !== null && "send" in value;
}

/**
 * Creates the mailer, which sends from `MAIL_FROM` through the operator's binding `EMAIL`. Null if either is missing;
 * the service then offers no e-mail features.
 */
export function createMailer(env: { readonly [name: string]: unknown }): Mailer | null {
  // mutant: record-mails
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
