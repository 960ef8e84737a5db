import type { FC } from "hono/jsx";
import { CURRENT_PASSWORD, type SignedInUser } from "#auth/index.ts";
import { Field, UsernameField } from "./components.tsx";
import type { FormError } from "#dashboard/request/form.ts";

/** The form fields that ask for the password or a passkey again. Empty if the user has authenticated shortly before. */
export const ReauthenticationFields: FC<{ signedIn: SignedInUser; id: string; error?: FormError | undefined }> = (
  props,
) =>
  props.signedIn.recentlyAuthenticated ? null : (
    <>
      <UsernameField email={props.signedIn.email} />
      <ConfirmIdentity {...props} hint="You signed in more than 10 minutes ago: confirm that it is you." />
    </>
  );

export const ConfirmIdentity: FC<{
  signedIn: SignedInUser;
  id: string;
  hint?: string | undefined;
  error?: FormError | undefined;
}> = ({ signedIn, id, hint, error }) => (
  <div class="reauthentication" data-reauthentication>
    {signedIn.hasPassword ? (
      <Field
        name={CURRENT_PASSWORD}
        id={id}
        label="Current password"
        type="password"
        autocomplete="current-password"
        required={!signedIn.hasPasskey}
        hint={hint}
        error={error}
      />
    ) : (
      <p class="hint">{hint}</p>
    )}
    {signedIn.hasPasskey && (
      <>
        <div data-passkey-confirm hidden>
          <button type="button" class="secondary">
            Confirm with a passkey
          </button>
          <p class="field-error" role="alert" hidden></p>
        </div>
        {!signedIn.hasPassword && (
          <noscript>
            <p class="hint">Confirming with a passkey requires JavaScript.</p>
          </noscript>
        )}
      </>
    )}
    {!signedIn.hasPassword && !signedIn.hasPasskey && (
      <p class="hint">Your account has no password and no passkey: sign out and in again.</p>
    )}
  </div>
);
