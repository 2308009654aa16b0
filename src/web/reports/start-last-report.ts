// Runs by itself when /power-bi is opened, before the rest of the portal is there: what the screen will ask for is asked
// for, and the frame of the report that was open last begins to load.
import { isInactive } from '#web/session/activity.ts'
import { getSession, onAuthStateChange, owesPasswordChange } from '#web/session/session-store.ts'
import { beginAhead, dropBegun, viewOf } from './embed/begin-report.ts'
import { askAhead, forgetAhead } from './last-report.ts'

const session = getSession()
if (session && !owesPasswordChange(session) && !isInactive()) {
  const area = new URLSearchParams(location.search).get('area') ?? undefined
  const last = askAhead(session.user.id, area)
  if (last) beginAhead(last.request.area, viewOf(last.request, last.scope.marcas))
  onAuthStateChange((event) => {
    if (event !== 'SIGNED_IN' && event !== 'SIGNED_OUT') return
    forgetAhead()
    dropBegun()
  })
}
