// Package refine lets a language model judge pairs of memories: are they one, does one take the other's place, does one lack what the
// other says, or do both stay.
//
// # Concept
//
// The model chooses and writes nothing. It sees numbered sentences, and answers with a verdict, an id and numbers (see [Decision]).
// package rules builds the action that it stands for out of the user's own sentences. Its reason in free words is for people to read.
// Every verdict is logged with the digests of both memories, and those are not asked about again.
//
// By default nothing is changed: what the model would change is put to a person. With deep.apply = "guarded" that is done which
// passes every check of [rules.Guarded]; the rest is put to a person, with what stopped it.
//
// # Guarantees
//
// A [Refiner] only adds actions to a plan. No excluded memory is changed, and no fact of a memory goes out of what stays alive without a
// person. [Verify] proves that of a plan by building each action again. An answer that names an unknown pair, id or sentence, or one
// twice, loses that decision; one that has another shape loses all. Memories that may not be sent anywhere are in no prompt, and a
// prompt holds memories of one scope.
//
// # Limits
//
// Whether a verdict is right, nobody proves. Memories that share few words are not found: candidates are pairs that wait for review,
// and those that are alike in wording.
package refine
