/**
 * A field that a person neither sees nor reaches, with keyboard, screen reader or the browser's autofill;
 * programs that fill every field in give themselves away by it.
 */
export function Honeypot() {
  return (
    <div className="sr-only" aria-hidden="true" inert>
      <label>
        Website
        <input
          type="text"
          name="website"
          tabIndex={-1}
          autoComplete="off"
          data-1p-ignore="true"
          data-lpignore="true"
          data-bwignore="true"
        />
      </label>
    </div>
  )
}
