import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { undoEdit } from '#server/testing/admin-calls.ts'
import { addPerson, openTestSession, send } from '#server/testing/builders.ts'
import { callSetting, toLinkSetting } from '#server/testing/report-setting-calls.ts'
import { setUpAdmin, setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'
import { ADMIN_COMMANDS, createCliRequest } from './admin-commands.ts'

describeOnEachDatabase('administrators are notified by mail', (kind) => {
  const portal = setUpPortal({ kind })
  const admin = setUpAdmin(portal)
  const run = (command: string, email: string) =>
    ADMIN_COMMANDS[command]?.(
      {
        db: portal.database.db,
        publicUrl: 'http://localhost',
        companyEmailDomain: 'grupopatio.com.br',
        clock: portal.clock,
        request: createCliRequest(),
      },
      email,
    )
  const deliver = async () => {
    portal.mails.length = 0
    await portal.outbox.deliverDue()
    return portal.mails
  }

  test('when the role is granted or removed, or an administrator is deleted', async () => {
    const { email, user_id } = await addPerson(portal, { email_verified_at: new Date() })
    await run('grant', email)
    expect(await deliver()).toMatchObject([
      { kind: 'administrators-changed', to: admin.email, link: 'http://localhost/admin' },
    ])
    expect(portal.mails[0]?.text).toMatch(`${email} recebeu a administração, pelo terminal do servidor`)
    await run('grant', email)
    expect(await deliver()).toEqual([])
    await run('revoke', email)
    expect((await deliver())[0]?.text).toMatch(`${email} perdeu a administração`)

    await run('grant', email)
    await deliver()
    await send(portal, 'POST', '/api/functions/delete-users', { ...admin, body: { userIds: [user_id] } })
    const [mail] = await deliver()
    expect([mail?.to, mail?.kind]).toEqual([admin.email, 'administrators-changed'])
    expect(mail?.text).toContain(`Agora administram o portal: ${admin.email}.`)
    expect(mail?.text).not.toContain(email)
  })

  test('when report settings change, once for all changes within two minutes', async () => {
    const other = await addPerson(portal, { role: 'admin' })
    const body = toLinkSetting('https://app.powerbi.com/reportEmbed?reportId=x')
    await callSetting(portal, admin.token, 'PUT', 'vendas', { body })
    await callSetting(portal, admin.token, 'PUT', 'crm', { body })
    await callSetting(portal, admin.token, 'DELETE', 'crm')
    expect(await deliver()).toEqual([])
    await sql`update mail_outbox set due_at = now()`.execute(portal.database.db)
    const mails = await deliver()
    expect(mails.map(({ to, kind }) => [to, kind]).sort()).toEqual(
      [admin.email, other.email].sort().map((to) => [to, 'report-settings-changed']),
    )
    for (const line of [`CRM: relatório removido, por ${admin.email}`, 'Vendas: configuração salva'])
      expect(mails[0]?.text).toContain(line)
  })

  test('not when the report that was removed comes back, unless something else has changed', async () => {
    const body = toLinkSetting('https://app.powerbi.com/reportEmbed?reportId=x')
    const change = (method: 'PUT' | 'DELETE', type: string, { token }: { token: string } = admin) =>
      callSetting(portal, token, method, type, method === 'PUT' ? { body } : {})
    const deliverAll = async () => {
      await sql`update mail_outbox set due_at = now()`.execute(portal.database.db)
      return deliver()
    }
    await change('PUT', 'oficina')
    await deliverAll()
    await change('DELETE', 'oficina')
    await change('PUT', 'oficina')
    expect(await deliverAll()).toEqual([])
    const another = toLinkSetting('https://app.powerbi.com/reportEmbed?reportId=y')
    const saved = await callSetting(portal, admin.token, 'PUT', 'oficina', { body: another })
    await undoEdit(portal, admin, saved.body.undoId)
    expect(await deliverAll()).toEqual([])

    // The deletion rewrites the entry of the removal.
    const other = await addPerson(portal, { role: 'admin' })
    await change('DELETE', 'oficina', { token: (await openTestSession(portal, other)).access_token })
    await send(portal, 'POST', '/api/functions/delete-users', {
      ...admin,
      body: { userIds: [other.user_id] },
    })
    await change('PUT', 'oficina')
    const kinds = (await deliverAll()).map((mail) => mail.kind)
    expect(kinds).not.toContain('report-settings-changed')

    await change('DELETE', 'oficina')
    expect(await deliverAll()).toMatchObject([{ kind: 'report-settings-changed' }])
    await change('PUT', 'oficina')
    expect(await deliverAll()).toMatchObject([{ kind: 'report-settings-changed' }])

    await change('PUT', 'hpd')
    await change('DELETE', 'oficina')
    await change('PUT', 'oficina')
    expect(await deliverAll()).toMatchObject([{ kind: 'report-settings-changed' }])

    await change('DELETE', 'oficina')
    await change('DELETE', 'hpd')
    await change('PUT', 'oficina')
    expect(await deliverAll()).toMatchObject([{ kind: 'report-settings-changed' }])
  })
})
