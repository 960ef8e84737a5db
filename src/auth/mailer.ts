/** Sends the e-mails of this service; exists only where the operator configured an e-mail binding. */
export interface Mailer {
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>;
}
