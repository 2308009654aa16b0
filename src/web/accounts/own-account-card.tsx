import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { userRoutes } from '#contract/users.ts'
import { callApi } from '#web/http/api.ts'
import { logWarning } from '#web/http/log.ts'
import type { StoredSession } from '#web/session/session.ts'
import { Card } from '#web/ui/card.tsx'
import { EmailField } from '#web/ui/email-field.tsx'
import { TextField } from '#web/ui/text-field.tsx'

/** The card with the e-mail, which cannot be changed, and the name, where there is one. */
export function OwnAccountCard({ user }: { user: StoredSession['user'] }) {
  const { data, error } = useQuery({
    queryKey: ['own-profile', user.id],
    queryFn: ({ signal }) => callApi(userRoutes.readOwnProfile, { signal }),
  })
  useEffect(() => {
    if (error) logWarning('The profile could not be read', error)
  }, [error])
  // What the session knows stands from the first moment, and when the profile cannot be read.
  const name = data ? data.full_name : user.user_metadata?.full_name
  return (
    <Card className="space-y-5">
      <h2 className="font-semibold text-lg">Dados da conta</h2>
      <EmailField readOnly value={data?.email ?? user.email} hint="O e-mail não pode ser alterado." />
      {name && <TextField label="Nome" name="full_name" readOnly value={name} />}
    </Card>
  )
}
