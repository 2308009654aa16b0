/** Somebody who is being deleted. */
export interface DeletedPerson {
  user_id: string
  email: string
  /** A fresh random id that stands in for the person in what outlives them. */
  pseudonym: string
}
