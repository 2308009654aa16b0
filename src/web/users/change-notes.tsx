import { useState } from 'react'
import { type ChangeNotes, describeChosen, describeEmptied } from '#contract/change-notes.ts'

/** What is worth saying of a change, beside the buttons that make it. */
export function NoteLines({ notes }: { notes: ChangeNotes | undefined }) {
  const chosen = notes && describeChosen(notes)
  return (
    <div aria-live="polite" className="space-y-1">
      {notes &&
        describeEmptied(notes).map((sentence) => (
          <p key={sentence} className="font-medium text-warning">
            {sentence}
          </p>
        ))}
      {chosen && <p>{chosen}</p>}
    </div>
  )
}

/**
 * Asks for a second press where a change leaves somebody with nothing, and again once it differs.
 * @param change what would be done, equal by identity
 */
export function useSecondPress(change: unknown, notes: ChangeNotes | undefined) {
  const [asked, setAsked] = useState<unknown>()
  const isRisky = notes !== undefined && notes.emptied.length > 0
  const isAsking = isRisky && asked === change
  /** Does it, or asks first. */
  const press = (run: () => void) => (isRisky && !isAsking ? setAsked(change) : run())
  return { isAsking, press }
}
