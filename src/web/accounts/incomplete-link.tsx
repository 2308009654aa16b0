import type { ReactNode } from 'react'
import { incompleteLinkMessages } from '#contract/messages.ts'
import { MessagePage } from '#web/ui/visitor-page.tsx'

/** Shown for a mailed link whose fragment is missing. */
export function IncompleteLink(props: { remedy?: string; actions: ReactNode }) {
  const { title, cause, remedy } = incompleteLinkMessages
  return (
    <MessagePage title={title} actions={props.actions}>
      <p role="status">
        {cause} {props.remedy ?? remedy}
      </p>
    </MessagePage>
  )
}
